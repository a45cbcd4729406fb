// A `.claude` folder as other agents know it, through the real program and a provider on loopback.
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Reply } from "../provider-server/script.ts"
import { claudePlace, put } from "./claude-place.ts"
import type { Place } from "./turnhouse.ts"

const turns: readonly Reply[] = [
  { blocks: [{ tool: "Skill", input: { skill: "release" } }] },
  { blocks: [{ tool: "skill", input: { name: "release", file: "checklist.md" } }] },
  { blocks: [{ text: "Released." }] },
]

function project({ folder }: Place): void {
  put(join(folder, ".claude"), {
    "skills/release/SKILL.md": "---\nname: release\ndescription: Use when: a release is due\n---\nFollow checklist.md.",
    "skills/release/checklist.md": "Count the CHANGES.",
    "commands/git/commit.md": "---\nargument-hint: [message]\n---\nCommit with the message: $ARGUMENTS",
  })
}

describe.concurrent("a .claude folder", () => {
  it("gives the model skills that it reads by itself", async (test) => {
    const { place, server } = await claudePlace(test, turns)
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
    const { place, server } = await claudePlace(test, [{ blocks: [{ text: "No skills." }] }])
    project(place)
    const { stderr } = await place.run("run", "release it")
    expect(stderr.split(".claude/commands, .claude/skills not read: the folder is not trusted.")).toHaveLength(2)
    expect(JSON.stringify(server.requests)).not.toContain("a release is due")
  })

  it("has commands and skills that people type", async (test) => {
    const { place, server } = await claudePlace(test, [{ blocks: [{ text: "One." }] }, { blocks: [{ text: "Two." }] }])
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

const reviewer =
  "---\nname: reviewer\ndescription: Reviews code\ntools: Read, Grep\n---\nYou review CODE and nothing else."

/** Names of the tools that a request offers. */
function toolsIn(body: Readonly<Record<string, unknown>> | undefined): readonly unknown[] {
  const tools = body?.["tools"]
  return Array.isArray(tools) ? tools.map((tool: { name: unknown }) => tool.name) : []
}

describe.concurrent("an agent in .claude/agents", () => {
  it("is started by the model by its name, with its instructions and its tools", async (test) => {
    const { place, server } = await claudePlace(test, [
      { blocks: [{ tool: "Task", input: { subagent_type: "reviewer", description: "review", prompt: "look" } }] },
      { blocks: [{ text: "All good." }] },
      { blocks: [{ text: "The review is done." }] },
    ])
    put(join(place.folder, ".claude/agents"), { "reviewer.md": reviewer })
    await place.run("trust", ".")
    expect(await place.run("run", "--yes", "go")).toMatchObject({ code: 0, stdout: "The review is done.\n" })
    const [first, child] = server.requests.map(({ body }) => body)
    expect(JSON.stringify(first?.["system"])).toContain("- reviewer: Reviews code")
    expect(JSON.stringify(child?.["system"])).toContain("You review CODE and nothing else.")
    expect(toolsIn(child)).toEqual(["read", "grep"])
  })

  it("answers with run --agent; an unknown name is refused with those that exist", async (test) => {
    const { place, server } = await claudePlace(test, [{ blocks: [{ text: "Reviewed." }] }])
    put(join(place.folder, ".claude/agents"), { "reviewer.md": reviewer })
    expect(await place.run("run", "--agent", "reviewer", "look")).toMatchObject({ code: 2 })
    await place.run("trust", ".")
    expect(await place.run("run", "--agent", "reviewer", "look")).toMatchObject({ code: 0, stdout: "Reviewed.\n" })
    expect(JSON.stringify(server.requests[0]?.body["system"])).toContain("You review CODE")
    expect(toolsIn(server.requests[0]?.body)).toEqual(["read", "grep"])
    const { code, stderr } = await place.run("run", "--agent", "rewiever", "look")
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("There are reviewer.") })
    expect(await place.run("run", "-c", "--agent", "reviewer", "x")).toMatchObject({ code: 2 })
  })

  it("that cannot be used is named once with the reason, and by --agent", async (test) => {
    const { place } = await claudePlace(test, [{ blocks: [{ text: "Hello." }] }])
    put(join(place.folder, ".claude/agents"), { "deep.md": "---\nthinking: enormous\n---\nThink." })
    await place.run("trust", ".")
    const reason = join(place.folder, ".claude/agents/deep.md: 'thinking' is not one of")
    const { stdout, stderr } = await place.run("run", "hi")
    expect(stdout).toBe("Hello.\n")
    expect(stderr.split(`Agent not used: ${reason}`)).toHaveLength(2)
    const refused = await place.run("run", "--agent", "deep", "hi")
    const sentence = `The agent 'deep' cannot be used: ${reason}`
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) })
  })
})
