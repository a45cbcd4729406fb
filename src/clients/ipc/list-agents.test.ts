import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { agentFiles, agentIdOf, brainwiresFolder, isAgentId } from "../../protocols/ipc/agent-paths.ts"
import { newFolder, startAgent } from "./fixtures/agents.ts"
import { isAlive, listAgents } from "./index.ts"

describe("the brainwires folder", () => {
  it("is the data folder of the system; an empty variable counts as unset", () => {
    expect(brainwiresFolder({ HOME: "/h" }, "linux")).toBe("/h/.local/share/brainwires/sessions")
    expect(brainwiresFolder({ HOME: "/h", XDG_DATA_HOME: "" }, "linux")).toBe("/h/.local/share/brainwires/sessions")
    expect(brainwiresFolder({ HOME: "/h", XDG_DATA_HOME: "/d" }, "linux")).toBe("/d/brainwires/sessions")
    expect(brainwiresFolder({ HOME: "/h" }, "darwin")).toBe("/h/Library/Application Support/brainwires/sessions")
    expect(brainwiresFolder({}, "linux")).toBeUndefined()
  })

  it("contains files only for valid ids", () => {
    for (const id of ["session-20260101-120000", "a", "A.b_c-1"]) expect(isAgentId(id)).toBe(true)
    for (const id of ["", "../x", "a/b", "a..b", ".a", "x.pty", "a\u0000", "a".repeat(129)])
      expect(isAgentId(id)).toBe(false)
    expect(agentIdOf("s1.sock")).toBe("s1")
    for (const name of ["s1.pty.sock", "s1.token", ".sock"]) expect(agentIdOf(name)).toBeUndefined()
  })
})

describe("agents of a folder", () => {
  it("are the live ones, oldest first", async () => {
    const agent = await startAgent()
    const { folder } = agent
    const [undescribed, garbage, huge] = await Promise.all(["b2", "b3", "b4"].map((id) => startAgent(folder, id)))
    writeFileSync(agentFiles(folder, garbage?.id ?? "").metadata, "{}")
    writeFileSync(agentFiles(folder, huge?.id ?? "").metadata, " ".repeat(5 * 1024 * 1024))
    rmSync(agentFiles(folder, undescribed?.id ?? "").metadata)
    writeFileSync(join(folder, "dead.sock"), "")
    mkdirSync(join(folder, "folder.sock"))
    for (const end of [".sock", ".meta.json"]) symlinkSync(`session-1${end}`, join(folder, `alias${end}`))
    writeFileSync(join(folder, "x.pty.sock"), "")
    const listed = await listAgents(folder)
    expect(listed.map(({ session_id: id, model }) => [id, model])).toEqual([
      ["session-1", "m1"],
      ["b2", "unknown"],
    ])
    expect(await listAgents(join(folder, "nowhere"))).toEqual([])
  })

  it("are alive while their socket accepts connections", async () => {
    const agent = await startAgent()
    expect(await isAlive(agent)).toBe(true)
    await agent.stop()
    expect(await isAlive(agent)).toBe(false)
    expect(await isAlive(join(newFolder(), "none.sock"))).toBe(false)
  })
})
