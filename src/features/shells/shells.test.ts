import { describe, expect, it, onTestFinished } from "vitest"
import type { CallId } from "../../contract/ids.ts"
import { limits } from "../../contract/limits.ts"
import type { JsonValue } from "../../contract/values.ts"
import { markedPids } from "../../processes/fixtures/marked.ts"
import { contextItems, emptyContext, foldContext } from "../../projection/context.ts"
import { promptMessages } from "../../runner/prompt/prompt-messages.ts"
import { createRedactor } from "../../secrets/redactor.ts"
import { scriptedSource } from "../../testing/index.ts"
import { history, newSession, next, reopen, testHost, you } from "../../testing/test-host.ts"
import { workbenches } from "../../tools/fixtures/workbench.ts"
import { ShellOutput } from "./effects/shell-output.ts"
import { shellNote } from "./shell-text.ts"

const openBench = workbenches()
const untilStopped = "while [ ! -e stop ]; do sleep 0.02; done"

async function world() {
  const bench = openBench()
  const made = await testHost(scriptedSource([]), [], {
    leaveSession: async (sessionId) => void (await bench.processes.endOwned(sessionId)),
  })
  onTestFinished(() => made.host.close())
  const session = await newSession(made.host)
  let calls = 0
  const call = (tool: string, input: JsonValue) => {
    calls += 1
    const callId: CallId = `cal_${calls}`
    return bench.call(tool, input, { shells: session.shells, sessionId: session.id, callId })
  }
  const start = (command: string) => call("bash", { command, run_in_background: true })
  return { ...made, bench, session, call, start }
}

describe("a background shell", () => {
  it("returns at once, is read piece by piece and reports its exit", async () => {
    const { bench, session, call, start } = await world()
    const started = await start(`echo one; ${untilStopped}; echo two; exit 3`)
    expect(started).toMatchObject({ outcome: "done", details: { shellId: "bash_1" } })
    expect(started.output).toMatch(/^Started in the background as bash_1\./)
    expect(session.state.shells).toMatchObject([{ id: "bash_1", callId: "cal_1" }])
    const read = () => call("bash_output", { id: "bash_1", timeout: 60 })
    expect((await read()).output).toBe("one\n[bash_1 is still running.]")
    expect((await call("bash_output", { id: "bash_1" })).output).toBe("(no new output)\n[bash_1 is still running.]")
    const ended = next(session, "shell.ended")
    bench.put("stop", "")
    expect(await ended).toMatchObject({ shellId: "bash_1", outcome: "exited", exitCode: 3 })
    expect((await read()).output).toBe("two\n[bash_1 exited with code 3.]")
    expect((await read()).output).toBe("(no new output)\n[bash_1 exited with code 3.]")
    expect(session.state.shells).toEqual([])
  })

  it("is stored before its command runs", async () => {
    const { log, session, start } = await world()
    await start("true")
    const stored = (await history(log, session.id)).find(({ type }) => type === "shell.started")
    expect(stored).toMatchObject({ shellId: "bash_1", command: "true", process: { pid: expect.any(Number) } })
  })

  it("is killed with everything that it started", async () => {
    const { bench, session, call, start } = await world()
    await start("trap '' TERM; setsid sleep 300 & echo begun; while :; do sleep 1; done")
    await call("bash_output", { id: "bash_1", timeout: 60 })
    const ended = next(session, "shell.ended")
    expect((await call("bash_kill", { id: "bash_1" })).output).toBe("bash_1 was killed.")
    expect(await ended).toMatchObject({ outcome: "killed" })
    expect(await markedPids(bench.mark)).toEqual([])
    const again = await call("bash_kill", { id: "bash_1" })
    expect(again).toMatchObject({ outcome: "failed", output: "bash_1 does not run any more: it was killed." })
  })

  it("is ended by a person, and the model learns by whom", async () => {
    const { session, start } = await world()
    await start("sleep 300")
    const ended = next(session, "shell.ended")
    await session.send({ type: "end-shell", shellId: "bash_1" }, you)
    const event = await ended
    expect(event).toMatchObject({ outcome: "killed", by: { principal: "you" } })
    expect(shellNote(event)).toBe("[Background shell bash_1 (sleep 300) was ended by you.]")
    expect(await session.send({ type: "end-shell", shellId: "bash_9" }, you)).toMatchObject({ kind: "accepted" })
  })

  it("ends after its timeout", async () => {
    const { session, call } = await world()
    const ended = next(session, "shell.ended")
    await call("bash", { command: "sleep 300", run_in_background: true, timeout: 1 })
    expect(await ended).toMatchObject({ outcome: "timed-out" })
  })

  it("is refused where too many run, without an effect", async () => {
    const { bench, session, call, start } = await world()
    for (let count = 0; count < limits.shells; count++) await start("sleep 300")
    const refused = await start("touch ran")
    expect(refused).toMatchObject({ outcome: "failed" })
    expect(refused.output).toMatch(/^8 background shells are running already/)
    await call("bash_kill", { id: "bash_3" })
    expect((await start("sleep 300")).outcome).toBe("done")
    expect(session.state.shells.map(({ id }) => id)).toContain("bash_9")
    expect(() => bench.text("ran")).toThrow("ENOENT")
  })

  it("returns only lines that match a filter, and keeps its output if the filter is wrong", async () => {
    const { session, call, start } = await world()
    const ended = next(session, "shell.ended")
    await start("echo error: one; echo fine; echo error: two")
    await ended
    const wrong = await call("bash_output", { id: "bash_1", filter: "(" })
    expect(wrong.output).toMatch(/^The filter is not a valid regular expression: .*unclosed group/s)
    const found = await call("bash_output", { id: "bash_1", filter: "^error: \\w+$" })
    expect(found.output).toBe("error: one\nerror: two\n[bash_1 exited with code 0.]")
  })

  it("is named with those that run when its id is unknown", async () => {
    const { call, start } = await world()
    await start("sleep 300")
    const unknown = await call("bash_output", { id: "bash_7" })
    expect(unknown).toMatchObject({ outcome: "failed" })
    expect(unknown.output).toBe(
      "There is no background shell bash_7, or its output is no longer kept. Running: bash_1.",
    )
  })

  it("ends with its session", async () => {
    const { bench, log, host, session, start } = await world()
    await start("sleep 300")
    await session.send({ type: "end", when: "now" }, you)
    expect((await history(log, session.id)).at(-2)).toMatchObject({ type: "shell.ended", outcome: "session-ended" })
    await host.close()
    expect(await markedPids(bench.mark)).toEqual([])
  })

  it("is lost with its host: the next one stores that and does not start it again", async () => {
    const made = await world()
    const { bench, log, session, start } = made
    await start("sleep 300")
    await made.crash()
    const second = await testHost(scriptedSource([]), [], {}, log, 2)
    onTestFinished(() => second.host.close())
    const { state } = await reopen(second.host, session.id)
    expect(state.shells).toEqual([])
    const lost = (await history(log, session.id)).at(-1)
    expect(lost).toMatchObject({ type: "shell.ended", shellId: "bash_1", outcome: "lost" })
    await bench.processes.close()
  })
})

describe("the note about an ended shell", () => {
  const ended = {
    type: "shell.ended",
    shellId: "bash_1",
    command: "npm start",
    outcome: "exited",
    exitCode: 1,
  } as const
  const text = "[Background shell bash_1 (npm start) exited with code 1. bash_output returns what it printed.]"

  it("follows the newest message, also between a call and its result", () => {
    const events = [
      { type: "prompt.admitted", promptId: "prm_1", text: "go", by: you, delivery: "next-turn" },
      { type: "prompt.promoted", promptId: "prm_1", turnId: "trn_1" },
      { type: "step.started", stepId: "stp_1", turnId: "trn_1", model: "m" },
      { type: "tool.called", stepId: "stp_1", callId: "cal_1", tool: "bash", input: {} },
      ended,
      { type: "tool.ended", callId: "cal_1", outcome: "done", output: "x" },
    ] as const
    const context = events.reduce(
      (folded, event, index) => foldContext(folded, { seq: index + 1, at: 0, event }),
      emptyContext(),
    )
    const messages = promptMessages(contextItems(context), { system: "s", takesPrefill: false })
    expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "user"])
    expect(messages.at(-1)?.content).toEqual([{ type: "text", text }])
  })

  it("is left out for a shell that the model has killed", () => {
    expect(shellNote({ ...ended, outcome: "killed" })).toBeUndefined()
  })
})

describe("unread output", () => {
  const secret = "hunter2-Zq8vKx41Lm"
  const redactor = createRedactor({ secrets: [{ name: "TOKEN", value: secret }], key: Buffer.from("key") })

  it("has no half of a secret that spans two reads", () => {
    const output = new ShellOutput(redactor)
    output.push(Buffer.from(`a ${secret.slice(0, 8)}`))
    expect(output.take()).toBe("a ")
    output.push(Buffer.from(`${secret.slice(8)} b`))
    expect(output.take()).toMatch(/^‹redacted:TOKEN:....› b$/)
  })

  it("returns at its end what could have become a secret", () => {
    const output = new ShellOutput(redactor)
    output.push(Buffer.from("hunter2"))
    expect(output.take()).toBe("")
    output.end()
    expect(output.take()).toBe("hunter2")
  })

  it("keeps the newest part of a flood and says how much is missing", () => {
    const output = new ShellOutput(redactor)
    for (let count = 0; count < 100; count++) output.push(Buffer.from("x".repeat(10_000)))
    output.push(Buffer.from("last\n"))
    const text = output.take()
    expect(text).toMatch(/^\[… 8\d\d,\d\d\d earlier bytes left out …\]\nx+last\n$/)
    expect(text.length).toBeLessThan(limits.shellOutputBytes + 100)
    expect(output.take()).toBe("")
  })
})
