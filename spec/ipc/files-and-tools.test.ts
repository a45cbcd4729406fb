// Conformance cases 36 and 37: files of a prompt, and the tool mode.
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startProviderServer, type ProviderServer } from "../provider-server/server.ts"
import { SharedAgent, startAgent, allowAllTools, turn, turnFrom, type AgentProcess } from "./agents.ts"
import { newPlace } from "../e2e/turnhouse.ts"
import { names, of, reattach, textOf } from "./raw-viewer.ts"

describe("36: context_files", () => {
  const shared = new SharedAgent()

  it.for([
    ["a missing file", (): string => "missing.txt"],
    ["a directory", (): string => made("folder", (path) => mkdirSync(path))],
    ["a FIFO", (): string => made("pipe", (path) => execFileSync("mkfifo", [path]))],
    ["a symlink loop", (): string => made("loop", (path) => symlinkSync(path, path))],
    ["a file of 1 GB", (): string => made("huge.txt", (path) => makeHuge(path))],
  ] as const)("%s is a toast, the turn proceeds and nothing hangs", async ([, make], test) => {
    const path = make()
    const viewer = await shared.scripted(test, [[{ text: "All the same." }]])
    const from = viewer.frames.length
    await viewer.send({ type: "user_input", content: "look", context_files: [path] })
    const frames = await turnFrom(viewer, from)
    expect(textOf(frames)).toBe("All the same.")
    expect(of(frames, "toast").map(({ message }) => message.includes(path))).toEqual([true])
    expect(of(frames, "message_added")[0]?.message).toMatchObject({ role: "user", content: "look" })
  })

  it("a readable file is attached, and the echo is the text that was typed", async (test) => {
    shared.place.write("fact.txt", "the sea is salty")
    const viewer = await shared.scripted(test, [[{ expect: { lastUserText: "the sea is salty" } }, { text: "It is." }]])
    const from = viewer.frames.length
    await viewer.send({ type: "user_input", content: "read it", context_files: ["fact.txt"] })
    const frames = await turnFrom(viewer, from)
    expect(textOf(frames)).toBe("It is.")
    expect(names(frames)).not.toContain("toast")
    expect(of(frames, "message_added")[0]?.message.content).toBe("read it")
  })

  /** A sparse file. */
  function makeHuge(path: string): void {
    writeFileSync(path, "")
    truncateSync(path, 2 ** 30)
  }

  function made(name: string, make: (path: string) => void): string {
    make(shared.place.path(name))
    return name
  }
})

describe("37: set_tool_mode", () => {
  const reply = { blocks: [{ text: "Seen." }], times: "always" } as const
  let server: ProviderServer
  beforeAll(async () => void (server = await startProviderServer({ replies: [reply] })))
  afterAll(() => server.close())

  /** The tools that the model was offered. */
  function offered(): unknown {
    const { tools } = server.requests.at(-1)?.body ?? {}
    return Array.isArray(tools) ? tools.map((tool: unknown) => JSON.stringify(tool)).map(nameIn) : []
  }

  it("None: the model sees no tools; an explicit list: those that exist; and the mode survives a reattach", async (test) => {
    const place = newPlace(test)
    const providers = { mock: { type: "openai-compatible", baseURL: `${server.url}/v1`, apiKey: "k" } }
    place.config({ ...allowAllTools, providers })
    const agent: AgentProcess = await startAgent(place, ["--model", "mock/any"])
    const viewer = await agent.viewer(test)
    await turn(viewer, "with all")
    expect(offered()).toContain("bash")
    const settled = await viewer.settle({ type: "set_tool_mode", mode: "None" })
    expect(settled).toContainEqual({ type: "status_update", status: "Tool mode: none" })
    expect(settled).toContainEqual({ type: "ack", command: "set_tool_mode" })
    await turn(viewer, "with none")
    expect(offered()).toEqual([])
    await viewer.settle({ type: "set_tool_mode", mode: { Explicit: ["read_file", "nope"] } })
    await turn(viewer, "with one")
    expect(offered()).toEqual(["read"])
    const next = await agent.viewer(test, reattach(agent.token))
    expect(of(next.frames, "conversation_sync")[0]?.tool_mode).toEqual({ Explicit: ["read_file", "nope"] })
  })

  it("a name in lower case, Explicit without a list, or null are errors", async (test) => {
    const agent = await startAgent(newPlace(test), ["--model", "offline/demo:0"])
    const viewer = await agent.viewer(test)
    for (const mode of ["smart", "Explicit", null, { Explicit: "read" }])
      expect(names(await viewer.settle({ type: "set_tool_mode", mode }))).toEqual(["error"])
  })
})

function nameIn(tool: string): string {
  return /"name":"([^"]+)"/.exec(tool)?.[1] ?? ""
}
