// Plan mode, attacked from inside: calls that were judged, approved or started before, steering prompts, rewinding, a model
// for one turn, a host that dies. The real files of a folder show whether something was written.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { SessionEvent } from "../../src/contract/events.ts"
import { contextItems } from "../../src/projection/context.ts"
import type { EventLog, Outcome } from "../../src/log/event-log.ts"
import { noStatus } from "../../src/projection/status.ts"
import type { SessionActor } from "../../src/runner/session-actor.ts"
import { callDigest } from "../../src/session/digest.ts"
import { gate } from "../../src/testing/gate.ts"
import { call, extension, say, sourceOf } from "../../src/testing/hook-world.ts"
import {
  history,
  newSession,
  next,
  prompt,
  reopen,
  testHost,
  testTool,
  turn,
  you,
} from "../../src/testing/test-host.ts"
import { scriptedSource } from "../../src/testing/scripted-source.ts"
import type { Tool } from "../../src/tools/tool.ts"
import { hookGate } from "../../src/runner/tools/gates.ts"

const refusal = "Plan mode allows no bash: nothing may be changed."

/** A folder, and tools that write into it, one of them under the name of a tool that looks. */
function scribes(): { readonly tools: readonly Tool[]; readonly written: () => readonly string[] } {
  const folder = mkdtempSync(join(tmpdir(), "plan-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const scribe = (name: string): Tool =>
    testTool(name, () => {
      writeFileSync(join(folder, name), "written")
      return { outcome: "done", output: "written" }
    })
  const looker: Tool = {
    ...testTool("ls", () => ({ outcome: "done", output: "a.txt" })),
    class: "read",
    isReadOnly: true,
  }
  const readers: readonly Tool[] = [
    { ...scribe("read"), class: "read" },
    { ...scribe("knowledge_search"), class: "read" },
  ]
  return { tools: [scribe("bash"), ...readers, looker], written: () => readdirSync(folder) }
}

async function planning(session: SessionActor): Promise<SessionActor> {
  await session.send({ type: "enter-plan" }, you)
  return session
}

async function refusals(log: EventLog, session: SessionActor): Promise<readonly string[]> {
  const events = await history(log, session.id)
  return events.flatMap((event) => (event.type === "tool.refused" ? [event.reason] : []))
}

describe("plan mode", () => {
  it("relies on the mark of built-in tools, never on a name or a class", async () => {
    const { tools, written } = scribes()
    const steps = ["read", "knowledge_search", "ls"].map((tool) => [call(tool)])
    const { host, log } = await testHost(scriptedSource([...steps, [say("No.")]]), tools)
    const session = await planning(await newSession(host))
    await turn(session, "go")
    expect(written()).toEqual([])
    expect(await refusals(log, session)).toEqual([
      "Plan mode allows no read: nothing may be changed.",
      "Plan mode allows no knowledge_search: nothing may be changed.",
    ])
    const events = await history(log, session.id)
    expect(events.filter(({ type }) => type === "tool.started")).toHaveLength(1)
  })

  it("applies to a call that was already approved, also on the next host", async () => {
    const { tools, written } = scribes()
    const models = scriptedSource([[say("unused")], [say("No.")]])
    const dead = await testHost(models, tools)
    const { host, log } = dead
    const session = await newSession(host)
    await dead.crash()
    await leaveBehind(log, session.id, approvedInPlan(session.id))
    const again = await testHost(models, tools, {}, log, 2)
    const reopened = await reopen(again.host, session.id)
    await next(reopened, "turn.ended")
    expect(written()).toEqual([])
    expect(await refusals(log, reopened)).toEqual([refusal])
  })

  it("applies to steering prompts, waiting prompts and a model for one turn", async () => {
    const { tools, written } = scribes()
    const first = gate()
    const steps = [[{ gate: first }, call("ls")], [call("bash")], [say("No.")], [call("bash")], [say("No.")]]
    const { host, log } = await testHost(scriptedSource(steps), tools)
    const session = await planning(await newSession(host))
    await prompt(session, "look")
    await first.arrived
    await prompt(session, "now write", "steer")
    const waiting = { type: "prompt", promptId: "prm_later", text: "write", ifBusy: "wait", model: "other" } as const
    await session.send(waiting, you)
    const ended = next(session, "turn.ended")
    first.open()
    await ended
    await next(session, "turn.ended")
    expect(await refusals(log, session)).toEqual([refusal, refusal])
    expect(written()).toEqual([])
  })

  it("applies after rewinding, after clearing the plan, and with every tool named", async () => {
    const { tools, written } = scribes()
    const steps = Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? [call("bash")] : [say("No.")]))
    const { host, log } = await testHost(scriptedSource(steps), tools)
    const session = await planning(await newSession(host))
    await session.send({ type: "select-tools", mode: { Explicit: ["bash", "execute_command"] } }, you)
    await turn(session, "one")
    await session.send({ type: "rewind", turns: 1 }, you)
    await turn(session, "two")
    await session.send({ type: "clear-context" }, you)
    await turn(session, "three")
    expect(await refusals(log, session)).toEqual([refusal, refusal, refusal])
    expect(written()).toEqual([])
  })

  it("applies when an extension continues, changes the input, or requests a confirmation that is given", async () => {
    for (const answer of [
      { action: "continue" },
      { action: "modify", input: { command: "touch x" } },
      { action: "confirm", message: "really?" },
    ]) {
      const { tools, written } = scribes()
      const hooks = sourceOf(extension("yes", { before_tool_call: answer }))
      const { host, log } = await testHost(scriptedSource([[call("bash")], [say("No.")]]), tools, {
        hooks,
        gates: [hookGate],
      })
      const session = await planning(await newSession(host))
      await turn(session, "go")
      expect(await refusals(log, session)).toEqual([refusal])
      expect(written()).toEqual([])
    }
  })

  it("survives the death of a host, and the plan continues", async () => {
    const { tools, written } = scribes()
    const models = scriptedSource([[call("ls")], [say("1. Look")], [call("bash")], [say("No.")]])
    const dead = await testHost(models, tools)
    const { host, log } = dead
    const session = await newSession(host)
    await session.send({ type: "enter-plan", focus: "the door" }, you)
    await turn(session, "how?")
    await dead.crash()
    const again = await testHost(models, tools, {}, log, 2)
    const reopened = await reopen(again.host, session.id)
    expect(reopened.state.plan).toMatchObject({ focus: "the door" })
    await turn(reopened, "and now?")
    expect(await refusals(log, reopened)).toEqual([refusal])
    expect(contextItems(reopened.context).filter(({ kind }) => kind === "user")).toHaveLength(2)
    expect(contextItems(reopened.context, "main")).toEqual([])
    expect(written()).toEqual([])
  })

  it("ends when it is left: the same call runs then", async () => {
    const { tools, written } = scribes()
    const { host } = await testHost(scriptedSource([[call("bash")], [say("Done.")]]), tools)
    const session = await planning(await newSession(host))
    await turn(session, "go")
    expect(written()).toEqual([])
    await session.send({ type: "exit-plan" }, you)
    await turn(session, "go")
    expect(written()).toEqual(["bash"])
  })
})

/** As an older release, or a program that can write to the log, might have left it. */
function approvedInPlan(sessionId: string): readonly SessionEvent[] {
  const digest = callDigest(new Uint8Array(32), sessionId, "cal_1", "bash", {})
  return [
    { type: "plan.entered", planId: "pln_1", by: you },
    { type: "prompt.admitted", promptId: "prm_p", text: "go", delivery: "next-turn", by: you },
    { type: "turn.started", turnId: "trn_1", planId: "pln_1" },
    { type: "prompt.promoted", promptId: "prm_p", turnId: "trn_1" },
    { type: "step.started", stepId: "stp_1", turnId: "trn_1", model: "m" },
    { type: "tool.called", stepId: "stp_1", callId: "cal_1", tool: "bash", input: {} },
    { type: "response.ended", stepId: "stp_1", model: "m", finish: "tool-calls" },
    {
      type: "approval.requested",
      approvalId: "apr_1",
      callId: "cal_1",
      tool: "bash",
      digest,
      reason: "It asks.",
      audience: "driver",
    },
    { type: "approval.decided", approvalId: "apr_1", outcome: "approved", by: you },
  ]
}

async function leaveBehind(log: EventLog, sessionId: string, events: readonly SessionEvent[]): Promise<void> {
  const identity = { hostId: "older", role: "test", pid: 9, startTime: "1", bootId: "b" }
  const lease = valueOf(await log.registerHost(identity))
  valueOf(await log.claim(lease, sessionId))
  const { seq } = valueOf(await log.find(sessionId))
  valueOf(await log.append(lease, { sessionId, expectedSeq: seq, at: 0, events, summary: { ...noStatus } }))
  valueOf(await log.releaseHost(lease))
}

function valueOf<Value>(outcome: Outcome<Value>): Value {
  if (outcome.kind === "refused") throw new Error(outcome.refusal.code)
  return outcome.value
}
