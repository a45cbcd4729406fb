// Slash commands that an attached client types in a session of another process.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { expectIdle } from "../e2e/history.ts"
import { eventsOf } from "../e2e/printed.ts"
import { newPlace, type Place } from "../e2e/turnhouse.ts"
import { madeSession } from "./live.ts"

async function typed(place: Place, id: string, ...lines: readonly string[]) {
  return place.start(["attach", id], { input: `${lines.join("\n")}\n` }).ended
}

describe.concurrent("a command typed while attached", () => {
  it("sees the effect of the command before it", async (test) => {
    const place = newPlace(test)
    const id = await madeSession(place, [])
    const lines = ["/task:add mend it --priority high", "/task:add a part --under 1", "/task:start 1", "/tasks"]
    const { code, stdout } = await typed(place, id, ...lines, "/task:list", "/model other/model", "/model")
    expect(code).toBe(0)
    expect(stdout).toContain("◐ 🟠 mend it\n└── ○ a part\n0 of 2 completed\n")
    expect(stdout).toContain("1. [in-progress] mend it (high)\n2. [pending] a part (under 1)\n")
    expect(stdout).toMatch(/\nother\/model\n$/)
    expect(eventsOf(await place.log(id), "task.added").map(({ by }) => by.door)).toEqual(["attach", "attach"])
  })

  it("rewinds to a checkpoint", async (test) => {
    const place = newPlace(test)
    const id = await madeSession(place, [[{ text: "First." }], [{ text: "Second." }]])
    for (const prompt of ["one", "two"]) {
      await place.run("run", "--session", id, prompt)
      if (prompt === "one") await typed(place, id, "/checkpoint before two")
    }
    const { code, stdout } = await typed(place, id, "/checkpoints", "/restore before two")
    expect(code).toBe(0)
    expect(stdout).toContain("1. before two\n")
    expect((await place.run("attach", id)).stdout).not.toContain("Second.")
  })

  it("may be a file of a trusted folder, whose text starts a turn", async (test) => {
    const place = newPlace(test)
    const folder = join(place.folder, ".brainwires", "commands")
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "fix.md"), "---\nargs: [{name: what, required: true}]\n---\nMend {{what}}.\n")
    const id = await madeSession(place, [[{ text: "Mended." }]])
    expect((await typed(place, id, "/fix it")).stderr).toContain("unknown command '/fix'")
    await place.run("trust", place.folder)
    const lacking = await typed(place, id, "/fix")
    expect(lacking).toMatchObject({ code: 1, stderr: expect.stringContaining("Missing required argument: what") })
    const { code, stdout } = await typed(place, id, "/commands", "/fix the {{what}} door")
    expect(code).toBe(0)
    expect(stdout).toContain("  /fix <what>")
    expect(stdout).toContain("Mended.")
    const log = await place.log(id)
    expectIdle(log)
    expect(eventsOf(log, "prompt.admitted").map(({ text }) => text)).toEqual(["Mend the {{what}} door."])
  })

  it("is answered in --json as one line among the events", async (test) => {
    const place = newPlace(test)
    const id = await madeSession(place, [])
    const { code, stdout } = await place.start(["attach", id, "--json"], { input: "/rename my work\n/nope\n" }).ended
    expect(code).toBe(0)
    const results = stdout.split("\n").filter((line) => line.includes("slash_command_result"))
    expect(results.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ command: "rename", success: true, output: "my work" }),
      expect.objectContaining({ command: "nope", success: false, error: "Unknown command: /nope" }),
    ])
    expect(eventsOf(stdout, "session.renamed")).toHaveLength(1)
  })
})
