// Long turns through the real program and a provider on loopback: what the model is sent after the context was
// compacted, and what happens when the provider finds a request too long.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, type TestContext } from "vitest"
import type { Reply } from "../provider-server/script.ts"
import { startProviderServer, type ProviderServer, type Received } from "../provider-server/server.ts"
import { expectNoStack } from "./complaints.ts"
import { expectIdle, expectValid } from "./history.ts"
import { eventsOf } from "./printed.ts"
import { newPlace, type Place } from "./turnhouse.ts"

const WINDOW = 16_000
const summarises = "under the headings"
const full = { input: WINDOW * 0.9, output: 10 }

const summary: Reply = { when: summarises, blocks: [{ text: "## Goal\nSUMMARY" }], times: "always" }
const read = (path: string): Reply => ({ blocks: [{ tool: "read", input: { path } }], usage: full })
const tooLong: Reply = {
  status: 400,
  error: { code: "context_length_exceeded", message: "This model's maximum context length is 4096 tokens." },
}

async function world(test: TestContext, ...replies: Reply[]): Promise<{ place: Place; server: ProviderServer }> {
  const place = newPlace(test)
  const server = await startProviderServer({ replies })
  test.onTestFinished(() => server.close())
  place.config({
    model: "gateway/large",
    providers: { gateway: { type: "openai-compatible", baseURL: `${server.url}/v1` } },
  })
  writeFileSync(
    join(place.home, "prices.json"),
    JSON.stringify({ models: { "gateway/large": { input: 0, output: 0, contextWindow: WINDOW, maxOutput: 2000 } } }),
  )
  return { place, server }
}

function textOf(request: Received | undefined): string {
  return JSON.stringify(request?.body["messages"])
}

describe.concurrent("a turn whose context is compacted twice", () => {
  it("keeps its prompt verbatim, and each result is in the context or was in a request for a summary", async (test) => {
    const done: Reply = { blocks: [{ text: "Done." }] }
    const files = ["one", "two", "three"]
    const { place, server } = await world(test, summary, ...files.map((name) => read(`${name}.txt`)), done)
    for (const name of files) place.write(`${name}.txt`, `CONTENT-${name}\n${"word after word\n".repeat(1000)}`)
    const ended = await place.run("run", "--yes", "TASK-7: compare the three files")
    expect(ended).toMatchObject({ code: 0, stdout: "Done.\n" })
    const log = await place.log(await place.newest())
    expectValid(log)
    expectIdle(log)
    expect(eventsOf(log, "context.compacted").length).toBeGreaterThan(1)
    const last = textOf(server.requests.at(-1))
    expect(last).toContain("TASK-7: compare the three files")
    expect(last).toContain("SUMMARY")
    const summarised = server.requests.map(textOf).filter((text) => text.includes(summarises))
    const known = `${last}${summarised.join("")}`
    for (const name of files) expect(known).toContain(`CONTENT-${name}`)
  })
})

describe.concurrent("a turn with many tool results", () => {
  it("replaces the oldest by notes, in batches, and needs no summary", async (test) => {
    const files = ["one", "two", "three", "four", "five", "six", "seven", "eight"]
    const reads = files.map((name): Reply => ({ blocks: [{ tool: "read", input: { path: `${name}.txt` } }] }))
    const { place, server } = await world(test, summary, ...reads, { blocks: [{ text: "Done." }] })
    for (const name of files) place.write(`${name}.txt`, `CONTENT-${name}\n${"word after word\n".repeat(200)}`)
    expect(await place.run("run", "--yes", "read them all")).toMatchObject({ code: 0, stdout: "Done.\n" })
    expect(eventsOf(await place.log(await place.newest()), "context.compacted")).toEqual([])
    const left = server.requests.map((request) => textOf(request).split("Left out to save room").length - 1)
    expect(left.at(-1)).toBeGreaterThan(0)
    expect(left).toEqual(left.toSorted((a, b) => a - b))
    expect(new Set(left).size).toBeLessThan(4) // most requests begin like the one before
    expect(textOf(server.requests.at(-1))).toContain("CONTENT-eight")
    expect(textOf(server.requests.at(-1))).toContain("Call read with the same input to get it again.")
  })
})

describe.concurrent("a compaction that a user asks for", () => {
  it("passes on what matters, prints the summary, and shows its share of the window", async (test) => {
    const { place, server } = await world(test, summary, { blocks: [{ text: "Hello." }] })
    await place.run("run", "FIRST")
    const id = await place.newest()
    const compacted = await place.run("compact", id, "the", "login bug")
    expect(compacted).toMatchObject({ code: 0, stdout: "## Goal\nSUMMARY\n" })
    expect(textOf(server.requests.at(-1))).toContain("which the user named: the login bug")
    expect(eventsOf(await place.log(id), "compaction.started")).toMatchObject([{ focus: "the login bug" }])
    const shown = await place.run("context", id)
    expect(shown.stdout).toMatch(/^gateway\/large: about [\d,]+ of 16,000 tokens/)
    expect(shown.stdout).toMatch(/≡ Summary +[1-9]/)
    const usage: unknown = JSON.parse((await place.run("context", "--json")).stdout)
    expect(usage).toMatchObject({ id, model: "gateway/large", window: WINDOW, agedResults: 0 })
    expect(await place.run("context", "no-such-session")).toMatchObject({ code: 2 })
    expect(await place.run("compact")).toMatchObject({ code: 2 })
  })
})

describe.concurrent("a provider that finds the request too long", () => {
  it("gets a compacted request, and the turn continues", async (test) => {
    const hello: Reply = { blocks: [{ text: "Hello." }] }
    const here: Reply = { blocks: [{ text: "Here." }] }
    const { place, server } = await world(test, summary, hello, tooLong, here, { blocks: [{ text: "Again." }] })
    expect(await place.run("run", `FIRST ${"word ".repeat(5000)}`)).toMatchObject({ code: 0, stdout: "Hello.\n" })
    expect(await place.run("run", "--continue", "SECOND")).toMatchObject({ code: 0, stdout: "Here.\n" })
    expect(await place.run("run", "--continue", "THIRD")).toMatchObject({ code: 0, stdout: "Again.\n" })
    const [, refused, ...later] = server.requests.map(textOf)
    expect(refused).toContain("FIRST")
    expect(later.filter((text) => text.includes(summarises)).join("")).toContain("FIRST")
    const answered = later.filter((text) => !text.includes(summarises))
    expect(answered[0]).not.toContain("FIRST")
    expect(answered[0]).toContain("SECOND")
    expect(answered).toHaveLength(2)
  })

  it("and refuses also what is left fails the turn with what can be done", async (test) => {
    const { place } = await world(test, summary, { ...tooLong, times: "always" })
    const ended = await place.run("run", "hello")
    expectNoStack(ended)
    expect(ended.code).toBe(1)
    expect(ended.stderr).toMatch(/too long for gateway\/large.*larger context window/)
  })
})
