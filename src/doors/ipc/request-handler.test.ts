import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { limits } from "../../contract/limits.ts"
import { gate } from "../../testing/gate.ts"
import { next, prompt, testTool } from "../../testing/test-host.ts"
import { emptyFolder, ipcWorld, type TestViewer } from "../../testing/doors/ipc-world.ts"
import { scriptedSource } from "../../testing/scripted-source.ts"

function said(viewer: TestViewer): unknown[] {
  return viewer.all("message_added").map(({ message }) => message)
}

const words = (role: string, content: string) => expect.objectContaining({ role, content })
const isReady = ({ status }: { readonly [key: string]: unknown }) => String(status).startsWith("Ready")

describe("prompts of a viewer", () => {
  it("wait while a turn runs, and frames of turns are not mixed", async () => {
    const first = gate()
    const { viewer: enter } = await ipcWorld([[{ text: "one" }, { gate: first }], [{ text: "two" }]])
    const viewer = await enter()
    viewer.say({ type: "user_input", content: "first" })
    await first.arrived
    viewer.say({ type: "user_input", content: "second" })
    await viewer.ack("queue_message")
    first.open()
    await viewer.until(() => viewer.all("stream_end").length === 2)
    await viewer.until(() => said(viewer).length === 4)
    expect(said(viewer)).toEqual([
      words("user", "first"),
      words("assistant", "one"),
      words("user", "second"),
      words("assistant", "two"),
    ])
  })

  it("that are queued run at once in an idle session, and are refused when the queue is full", async () => {
    const busy = gate()
    const { viewer: enter, session } = await ipcWorld([[{ text: "done" }], [{ gate: busy }, { text: "busy" }]])
    const viewer = await enter()
    const content = `${"a".repeat(49)}é`
    viewer.say({ type: "queue_message", content })
    await viewer.of("stream_end")
    expect(said(viewer)[0]).toEqual(words("user", content))
    viewer.say({ type: "user_input", content: "work" })
    await busy.arrived
    for (let waiting = 0; waiting < limits.queuedPrompts; waiting++) await prompt(session, "wait")
    viewer.say({ type: "queue_message", content: "one too many" })
    const error = await viewer.of("error")
    expect(error["message"]).toBe("Failed to queue message: Message queue is full (max 1000)")
    viewer.say({ type: "exit" })
    await viewer.closed
  })

  it("that are empty are refused without an acknowledgement", async () => {
    const { viewer: enter } = await ipcWorld()
    const viewer = await enter()
    viewer.say({ type: "user_input", content: " \n", context_files: [] }, { type: "queue_message", content: "" })
    await viewer.until(() => viewer.all("error").length === 2)
    expect(viewer.all("ack")).toEqual([])
  })

  it("may name files; a problem with one is shown and does not hold the prompt back", async () => {
    const cwd = emptyFolder()
    writeFileSync(join(cwd, "good.txt"), "the content")
    writeFileSync(join(cwd, "huge.txt"), "")
    truncateSync(join(cwd, "huge.txt"), 2 ** 30)
    mkdirSync(join(cwd, "folder"))
    execFileSync("mkfifo", [join(cwd, "pipe")])
    symlinkSync("loop", join(cwd, "loop"))
    const source = scriptedSource([[{ text: "read" }]])
    const { viewer: enter } = await ipcWorld(source, { session: { cwd } })
    const viewer = await enter()
    const context_files = ["good.txt", "missing.txt", "folder", "pipe", "huge.txt", "loop"]
    viewer.say({ type: "user_input", content: "look", context_files })
    await viewer.of("stream_end")
    expect(said(viewer)[0]).toEqual(words("user", "look"))
    const toasts = viewer.all("toast").map(({ message }) => String(message))
    expect(toasts).toHaveLength(5)
    for (const name of context_files.slice(1)) expect(toasts.some((toast) => toast.includes(name))).toBe(true)
    const seen = JSON.stringify(source.model.calls.map((call) => call.prompt))
    expect(seen).toContain("the content")
    expect(seen).toContain("huge.txt")
  })

  it("may name at most 64 files, more than a host stages at once", async () => {
    const cwd = emptyFolder()
    const context_files = Array.from({ length: 70 }, (_, n) => `f${n}.txt`)
    for (const name of context_files) writeFileSync(join(cwd, name), name)
    const { viewer: enter, session } = await ipcWorld([[{ text: "read" }]], { session: { cwd } })
    const viewer = await enter()
    const admitted = next(session, "prompt.admitted")
    viewer.say({ type: "user_input", content: "look", context_files })
    expect((await admitted).attachments?.map(({ name }) => name)).toEqual(context_files.slice(0, 64))
    await viewer.of("toast")
    await viewer.of("stream_end")
  })
})

describe("cancel", () => {
  it("stops a stream without further text, and each cancel has one ack", async () => {
    const { viewer: enter } = await ipcWorld([[{ text: "half an" }, { hang: true }]])
    const viewer = await enter()
    viewer.say({ type: "user_input", content: "go" })
    await viewer.of("stream_chunk")
    await viewer.until(() => viewer.text() === "half an")
    viewer.say({ type: "cancel" }, { type: "cancel" })
    await viewer.until(() => viewer.all("ack").filter(({ command }) => command === "cancel").length === 2)
    expect(viewer.all("stream_end")).toEqual([{ type: "stream_end", finish_reason: "cancelled" }])
    const after = viewer.types().slice(viewer.types().indexOf("stream_end"))
    expect(after).not.toContain("stream_chunk")
    expect(said(viewer)).toContainEqual(words("assistant", "half an"))
  })

  it("ends an open tool call", async () => {
    const working = gate()
    const tool = testTool("work", async (_, { signal }) => {
      await working.pass(signal)
      return { outcome: "done", output: "done" }
    })
    const { viewer: enter } = await ipcWorld([[{ call: { tool: "work", input: {} } }]], { tools: [tool] })
    const viewer = await enter()
    viewer.say({ type: "user_input", content: "go" })
    await working.arrived
    viewer.say({ type: "cancel" })
    await viewer.ack("cancel")
    expect(viewer.all("tool_result")).toMatchObject([{ output: null, error: "Cancelled" }])
  })
})

describe("ending the session", () => {
  it("by `detach` with exit_when_done happens after the turn and queued prompts", async () => {
    const first = gate()
    const { viewer: enter, session, door } = await ipcWorld([[{ gate: first }, { text: "one" }], [{ text: "two" }]])
    const [viewer, other] = [await enter(), await enter()]
    viewer.say({ type: "user_input", content: "a" })
    await first.arrived
    viewer.say({ type: "user_input", content: "b" }, { type: "detach", exit_when_done: true })
    await other.ack("detach")
    await viewer.closed
    first.open()
    await other.of("exiting")
    expect(other.text()).toBe("onetwo")
    await door.closed
    expect(session.state.life).toBe("ended")
  })

  it("is cancelled when a viewer joins before it has ended", async () => {
    const first = gate()
    const { viewer: enter, session } = await ipcWorld([[{ gate: first }, { text: "one" }]])
    const viewer = await enter()
    viewer.say({ type: "user_input", content: "a" })
    await first.arrived
    viewer.say({ type: "detach", exit_when_done: true })
    await viewer.closed
    const kept = next(session, "session.kept")
    const other = await enter()
    await kept
    first.open()
    await other.of("status_update", isReady)
    expect(session.state.life).toBe("open")
  })

  it("by `exit` happens at once, for all viewers", async () => {
    const { viewer: enter, session, door } = await ipcWorld([[{ text: "half" }, { hang: true }]])
    const [viewer, other] = [await enter(), await enter()]
    viewer.say({ type: "user_input", content: "a" })
    await other.of("stream_chunk")
    viewer.say({ type: "exit" })
    for (const one of [viewer, other]) {
      expect(await one.of("exiting")).toEqual({ type: "exiting", reason: "Exit requested" })
      await one.ack("exit")
      await one.closed
    }
    await door.closed
    expect(session.state.life).toBe("ended")
  })

  it("by hibernation disconnects all viewers and stops the watch", async () => {
    const { viewer: enter, session, door } = await ipcWorld()
    const viewer = await enter()
    await session.send({ type: "hibernate" }, { principal: "you", door: "test" })
    expect(session.watching).toEqual([])
    expect(await viewer.of("exiting")).toEqual({ type: "exiting", reason: "Hibernated" })
    await door.closed
  })

  it("by /exit sends the result of the command first", async () => {
    const { viewer: enter } = await ipcWorld()
    const viewer = await enter()
    viewer.say({ type: "slash_command", command: "/exit", args: [] })
    await viewer.closed
    const types = viewer.types()
    expect(types.indexOf("slash_command_result")).toBeGreaterThan(0)
    expect(types.indexOf("exiting")).toBeGreaterThan(types.indexOf("slash_command_result"))
  })
})

describe("other requests", () => {
  it("for tools apply to the next turn and are sent to later viewers", async () => {
    const source = scriptedSource([[{ text: "a" }], [{ text: "b" }]])
    const tools = [
      testTool("read", () => ({ outcome: "done", output: "" })),
      testTool("rm", () => ({ outcome: "done", output: "" })),
    ]
    const { viewer: enter } = await ipcWorld(source, { tools })
    const viewer = await enter()
    const offered = () => source.model.calls.at(-1)?.tools?.map(({ name }) => name) ?? []
    viewer.say({ type: "set_tool_mode", mode: "None" }, { type: "user_input", content: "a" })
    await viewer.until(() => viewer.all("stream_end").length === 1)
    expect(offered()).toEqual([])
    viewer.say(
      { type: "set_tool_mode", mode: { Explicit: ["read_file", "nope"] } },
      { type: "user_input", content: "b" },
    )
    await viewer.until(() => viewer.all("stream_end").length === 2)
    expect(offered()).toEqual(["read"])
    const later = await enter()
    expect(later.received[1]).toMatchObject({ tool_mode: { Explicit: ["read_file", "nope"] } })
  })

  it("for a sync are answered to the requester only", async () => {
    const { viewer: enter } = await ipcWorld()
    const [viewer, other] = [await enter(), await enter()]
    viewer.say({ type: "sync_request" }, { type: "cancel" })
    await Promise.all([viewer.ack("cancel"), other.ack("cancel")])
    expect(viewer.types().slice(4)).toEqual(["conversation_sync", "task_update", "ack"])
    expect(other.types().slice(4)).toEqual(["ack"])
  })

  it("of one viewer are handled one after another, while frames of others are sent at once", async () => {
    const slow = gate()
    const opened = await ipcWorld([[{ text: "hello" }]])
    const perform = opened.port.perform.bind(opened.port)
    opened.port.perform = async (command) => {
      await slow.pass()
      return perform(command)
    }
    const [viewer, other] = [await opened.viewer(), await opened.viewer()]
    viewer.say({ type: "slash_command", command: "unheard-of", args: [] }, { type: "set_tool_mode", mode: "Core" })
    await slow.arrived
    other.say({ type: "user_input", content: "hi" })
    await viewer.of("stream_end")
    expect(viewer.all("slash_command_result")).toEqual([])
    slow.open()
    await viewer.ack("set_tool_mode")
    expect(viewer.all("slash_command_result")).toMatchObject([
      { success: false, error: "Unknown command: /unheard-of" },
    ])
    const types = viewer.types()
    expect(types.indexOf("slash_command_result")).toBeLessThan(
      viewer.received.findIndex(({ command }) => command === "set_tool_mode"),
    )
  })

  it("that fail unexpectedly get an error, and the host logs the cause", async () => {
    const opened = await ipcWorld()
    const viewer = await opened.viewer()
    rmSync(opened.folder, { recursive: true })
    viewer.say({ type: "list_agents" }, { type: "cancel" })
    await viewer.ack("cancel")
    expect(viewer.all("error")).toMatchObject([{ message: "The agent could not do that", fatal: false }])
    expect(opened.warnings).toHaveLength(1)
  })
})
