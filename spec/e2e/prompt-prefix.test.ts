// What the model gets with each request, through the real program and a provider on loopback: instruction files, the
// environment, and a beginning that stays the same from request to request.
import { execFileSync } from "node:child_process"
import { describe, expect, it, type TestContext } from "vitest"
import type { Reply } from "../provider-server/script.ts"
import { startProviderServer, type Received } from "../provider-server/server.ts"
import { newPlace } from "./turnhouse.ts"

const turns: readonly Reply[] = [
  { blocks: [{ tool: "ls", input: {} }] },
  { blocks: [{ text: "First." }] },
  { blocks: [{ text: "Second." }] },
]

async function world(test: TestContext) {
  const place = newPlace(test)
  const server = await startProviderServer({ replies: turns })
  test.onTestFinished(() => server.close())
  place.config({
    model: "claude/claude-sonnet-5",
    providers: { claude: { type: "anthropic", baseURL: `${server.url}/v1`, apiKey: "key-of-the-test-1234" } },
  })
  execFileSync("git", ["init", "-q", "-b", "trunk", place.folder])
  place.write("AGENTS.md", "Prefer tabs to spaces.")
  return { place, server }
}

/** Everything in the order in which a provider caches it; the points themselves do not count. */
function blocksOf({ body }: Received): readonly { readonly text: string; readonly isPoint: boolean }[] {
  const messages = listIn(body["messages"]).flatMap((message) =>
    listIn(message["content"]).map((block): Record<string, unknown> => ({ role: message["role"], ...block })),
  )
  return [...listIn(body["tools"]), ...listIn(body["system"]), ...messages].map(
    ({ cache_control: point, ...block }) => {
      return { text: JSON.stringify(block), isPoint: point !== undefined }
    },
  )
}

function listIn(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value : []
}

describe.concurrent("requests of a session", () => {
  it("share their beginning up to the last cache point, also in another process; date and git state follow it", async (test) => {
    const { place, server } = await world(test)
    await place.run("trust", ".")
    expect(await place.run("run", "--yes", "QUESTION-1")).toMatchObject({ code: 0, stdout: "First.\n" })
    expect(await place.run("run", "--continue", "QUESTION-2")).toMatchObject({ code: 0, stdout: "Second.\n" })
    const [first = [], second = [], third = []] = server.requests.map(blocksOf)
    const texts = (blocks: typeof first) => blocks.map(({ text }) => text)
    expect(texts(second).slice(0, first.length)).toEqual(texts(first))
    expect(texts(third).slice(0, second.length)).toEqual(texts(second))
    for (const blocks of [first, third]) {
      const lastPoint = blocks.findLastIndex(({ isPoint }) => isPoint)
      const changing = blocks.map(({ text }) => /Date: \d{4}-/.test(text))
      expect(changing.lastIndexOf(true)).toBe(lastPoint + 1)
      expect(blocks[lastPoint]?.text).toContain("QUESTION-")
    }
    const system = JSON.stringify(server.requests[0]?.body["system"])
    expect(system).toContain(`Working folder: ${place.folder}`)
    expect(system).toContain("Git repository: yes")
    expect(system).toContain("Prefer tabs to spaces.")
  })

  it("have no instructions of a folder that is not trusted; the command says so once", async (test) => {
    const { place, server } = await world(test)
    const { stderr } = await place.run("run", "--yes", "QUESTION-1")
    expect(stderr.split("AGENTS.md not read: the folder is not trusted.")).toHaveLength(2)
    expect(JSON.stringify(server.requests)).not.toContain("Prefer tabs")
    await place.run("trust", ".")
    expect((await place.run("run", "--continue", "again")).stderr).toContain("instructions: AGENTS.md\n")
    expect(JSON.stringify(server.requests[2]?.body)).toContain("Prefer tabs to spaces.")
  })
})
