// A `.claude` folder as other agents know it, through the real program and a provider on loopback.
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it, type TestContext } from "vitest"
import type { Reply } from "../provider-server/script.ts"
import { startProviderServer } from "../provider-server/server.ts"
import { newPlace, type Place } from "./turnhouse.ts"

const turns: readonly Reply[] = [
  { blocks: [{ tool: "Skill", input: { skill: "release" } }] },
  { blocks: [{ tool: "skill", input: { name: "release", file: "checklist.md" } }] },
  { blocks: [{ text: "Released." }] },
]

async function world(test: TestContext, replies: readonly Reply[]) {
  const place = newPlace(test)
  const server = await startProviderServer({ replies })
  test.onTestFinished(() => server.close())
  place.config({
    model: "claude/claude-sonnet-5",
    providers: { claude: { type: "anthropic", baseURL: `${server.url}/v1`, apiKey: "key-of-the-test-1234" } },
  })
  return { place, server }
}

function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

function project({ folder }: Place): void {
  put(join(folder, ".claude"), {
    "skills/release/SKILL.md": "---\nname: release\ndescription: Use when: a release is due\n---\nFollow checklist.md.",
    "skills/release/checklist.md": "Count the CHANGES.",
    "commands/git/commit.md": "---\nargument-hint: [message]\n---\nCommit with the message: $ARGUMENTS",
  })
}

describe.concurrent("a .claude folder", () => {
  it("gives the model skills that it reads by itself", async (test) => {
    const { place, server } = await world(test, turns)
    project(place)
    put(join(place.env["HOME"] ?? "", ".claude/skills/mine"), { "SKILL.md": "Be brief." })
    await place.run("trust", ".")
    expect(await place.run("run", "release it")).toMatchObject({ code: 0, stdout: "Released.\n" })
    const [first, second, third] = server.requests.map(({ body }) => JSON.stringify(body))
    expect(first).toContain("- mine: Be brief.\\n- release: Use when: a release is due")
    expect(first).not.toContain("Follow checklist.md")
    expect(second).toContain("Follow checklist.md.")
    expect(third).toContain("Count the CHANGES.")
  })

  it("is not used before it is trusted, and is named once", async (test) => {
    const { place, server } = await world(test, [{ blocks: [{ text: "No skills." }] }])
    project(place)
    const { stderr } = await place.run("run", "release it")
    expect(stderr.split(".claude/commands, .claude/skills not read: the folder is not trusted.")).toHaveLength(2)
    expect(JSON.stringify(server.requests)).not.toContain("a release is due")
  })

  it("has commands and skills that people type", async (test) => {
    const { place, server } = await world(test, [{ blocks: [{ text: "One." }] }, { blocks: [{ text: "Two." }] }])
    project(place)
    await place.run("trust", ".")
    const { stdout } = await place.run("new")
    const id = stdout.trim()
    const lines = ["/skills", "/git:commit fix the door", "/release now"].map((line) => `${line}\n`).join("")
    const { stdout: shown } = await place.start(["attach", id], { input: lines }).ended
    expect(shown).toContain("release (project): Use when: a release is due")
    const prompts = JSON.stringify(server.requests.map(({ body }) => body["messages"]))
    expect(prompts).toContain("Commit with the message: fix the door")
    expect(prompts).toContain("Follow checklist.md.\\n\\nThe task: now")
  })
})
