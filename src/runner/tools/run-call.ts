// One tool call from its gates to its result. The tool is prepared before the intent is stored and runs afterwards. The
// call ends with exactly one result or, after a crash, as unsettled.
import type { CallId } from "../../contract/ids.ts"
import type { FileChange, JsonValue } from "../../contract/values.ts"
import { mainArgument } from "../../contract/rules/core-tools.ts"
import { principalName } from "../../contract/rules/approval-answers.ts"
import { shortened } from "../../contract/text/text.ts"
import { editorOf } from "../../features/approvals/decide.ts"
import { mayConnect } from "../../features/approvals/effects/connections.ts"
import { serverRequestsOf } from "../../features/approvals/effects/server-requests.ts"
import { questionSummary } from "../../contract/rules/questions.ts"
import { placeholderProblem } from "../../contract/text/placeholder.ts"
import { callDigest } from "../../session/digest.ts"
import type { RunnerReport } from "../../session/report.ts"
import { findCall, type CallState } from "../../session/state.ts"
import { verifiedContact } from "../../features/chat-service/verification/state.ts"
import type { PreparedCall, Tool, ToolContext, ToolResult } from "../../tools/tool.ts"
import { agentsOf } from "../../features/agent-tree/effects/agents.ts"
import type { CallLocks } from "../../features/locks/effects/call-locks.ts"
import { tasksOf } from "../../features/tasks/effects.ts"
import { inSlot } from "./call-slots.ts"
import { judge } from "./gates.ts"
import { LiveOutput } from "./live-output.ts"
import { findTools } from "./on-demand.ts"
import { rightsOf } from "../prompt/retrieval.ts"
import type { GatedCall, SessionContext } from "../session-context.ts"
import { planModeRefusal } from "./tool-set.ts"
import { filesOfTurn, waitsForVisitor, visitorOf } from "../../features/chat-service/interactions/effects.ts"
import { changesRecorded, trackCall } from "../../features/undo/effects/track-changes.ts"
import { untilAborted } from "../waiting.ts"
import { noteRefusal, repeatRefusal, withRepeatNote } from "./repeated-calls.ts"
import type { Verdict } from "./verdict.ts"

/** Characters of a progress message that are published. */
const progressLength = 200

const noLocks: CallLocks = {
  held: [],
  environment: () => ({}),
  lostLocks: () => Promise.resolve(undefined),
  record: () => Promise.resolve(),
  release: () => Promise.resolve(),
}

interface CallRun extends GatedCall {
  readonly signal: AbortSignal
}

export async function runCall(session: SessionContext, callId: CallId, signal: AbortSignal): Promise<void> {
  try {
    await inSlot(session, signal, () => passAndRun(session, callId, signal))
  } catch (fault) {
    session.services.warn(`call ${callId} failed: ${String(fault)}`, session.id)
    const call = findCall(session.state, callId)
    if (call !== undefined && !signal.aborted) await refuse(session, call, "tools", failure(fault).output)
  }
  await changesRecorded(session)
}

async function passAndRun(session: SessionContext, callId: CallId, signal: AbortSignal): Promise<void> {
  if (session.hooks !== undefined) await Promise.race([session.hooks.ready(), untilAborted(signal)])
  const call = findCall(session.state, callId)
  if (call === undefined) return
  const tool = await findTool(session, call.tool, signal)
  if (signal.aborted) return
  if (tool === undefined) return refuse(session, call, "tools", `There is no tool named ${call.tool}.`)
  const run: CallRun = { session, call, tool, input: session.realInputs.get(callId) ?? call.input, signal }
  const refusal = refusalOf(run)
  if (refusal !== undefined) return refuse(session, call, refusal.by, withEditNote(run, refusal.reason))
  if (call.phase === "called" && (await isStoppedByGate(run))) return
  if (await waitsForVisitor(run)) return
  if (await waitsForAnswer(run)) return
  const turn = await session.resources.acquire(tool.resources(run.input, cwdOf(session)), signal)
  try {
    if (!signal.aborted) await runLocked(run)
  } finally {
    turn.release()
  }
}

/** After a restart of the host the servers must start first: their tools, and those about them, are not known before. */
async function findTool(session: SessionContext, name: string, signal: AbortSignal): Promise<Tool | undefined> {
  const known = session.tools.find((tool) => tool.name === name)
  if (known !== undefined) return known
  await session.servers?.ready(signal)
  return session.tools.find((tool) => tool.name === name)
}

/** Checks that also hold for a call that was approved before, or was running when its host ended. */
function refusalOf({
  session,
  call,
  tool,
  input,
}: CallRun): { readonly by: string; readonly reason: string } | undefined {
  if (call.phase === "started" && tool.class === "unsafe")
    return {
      by: "tools",
      reason: "It was running when the host ended and may not be repeated; its outcome is unknown.",
    }
  const repeated = call.phase === "called" ? repeatRefusal(session, tool.name, input) : undefined
  if (repeated !== undefined) return { by: "tools", reason: repeated }
  const closed = planModeRefusal(session.state, tool)
  if (closed !== undefined) return { by: "mode", reason: closed }
  const lostSecret = placeholderProblem(JSON.stringify(input))
  if (lostSecret !== undefined) return { by: "secrets", reason: lostSecret }
  const problem = call.modified ? tool.problem(input) : undefined // the model's own input was checked when it arrived
  return problem === undefined ? undefined : { by: "tools", reason: problem }
}

/** The last gate: locks. They are released when the call's processes have exited. */
async function runLocked(run: CallRun): Promise<void> {
  const { session, call, tool, input, signal } = run
  const { locks: source, scrubber } = session.services
  const lockRequests = source === undefined ? [] : ((await tool.locks?.(input, cwdOf(session))) ?? [])
  const requests = lockRequests.map((request) => ({ ...request, scope: scrubber.text(request.scope) })) // locks are stored
  if (source === undefined || requests.length === 0) return void (await startAndRun(run, noLocks))
  const description = `${tool.name}: ${scrubber.text(mainArgument(tool.name, input))}`
    .slice(0, progressLength)
    .toWellFormed()
  const { progress } = contextOf(run)
  const { takeCallLocks } = await import("../../features/locks/effects/call-locks.ts")
  const outcome = await takeCallLocks(session, await source.load(), { requests, description, signal, progress })
  if (outcome.kind === "cancelled") return
  if (outcome.kind === "refused") return refuse(session, call, "locks", outcome.reason)
  const { locks } = outcome
  let outlived: Promise<void> | undefined
  try {
    outlived = (await startAndRun(run, locks))?.outlived?.()
  } finally {
    if (outlived === undefined) await locks.release()
  }
  void outlived?.then(() => locks.release())
}

/** True when a gate did not let the call pass; the events that follow decide about it. */
async function isStoppedByGate(run: CallRun): Promise<boolean> {
  const verdict = await Promise.race([judge(run), untilAborted(run.signal)])
  if (run.signal.aborted) return true
  if (verdict === undefined) return false
  const { session, call, tool, input } = run
  const expected = verdict.kind === "ask" ? await tool.changes?.(input, contextOf(run)) : undefined
  if (run.signal.aborted) return true
  if (expected?.kind === "no") await refuse(session, call, "tools", withEditNote(run, expected.reason))
  else await session.report(reportOf(run, verdict, expected?.kind === "changes" ? expected.changes : undefined))
  if (findCall(session.state, call.id) === undefined) noteRefusal(session, tool.name, input)
  return true
}

/** True if the call asks a person; the answer becomes its result. */
async function waitsForAnswer(run: CallRun): Promise<boolean> {
  const questions = run.tool.questions?.(run.input)
  if (questions === undefined || run.signal.aborted) return false
  const { approvalWaitMs: waitMs } = run.session.services
  const request = { reason: questionSummary(questions), audience: "driver", causes: undefined, questions } as const
  await run.session.report({ type: "approval-needed", callId: run.call.id, ...request, digest: digestOf(run), waitMs })
  return true
}

function reportOf(run: CallRun, verdict: Verdict, changes: FileChange[] | undefined): RunnerReport {
  const callId = run.call.id
  if (verdict.kind === "park") return verdict.report
  if (verdict.kind === "refuse")
    return { type: "judged", callId, verdict: { ...verdict, reason: withEditNote(run, verdict.reason) } }
  if (verdict.kind === "modify") return { type: "judged", callId, verdict }
  const { reason, audience, causes } = verdict
  const { approvalWaitMs: waitMs } = run.session.services
  const { revision } = run.tool
  return { type: "approval-needed", callId, reason, audience, causes, changes, digest: digestOf(run), revision, waitMs }
}

/** Returns the call if it has run. */
async function startAndRun(run: CallRun, locks: CallLocks): Promise<PreparedCall | undefined> {
  const tracked = await trackCall(run.session, run.tool, filesOf(run))
  try {
    return await startPrepared(run, locks)
  } finally {
    tracked.end()
  }
}

/** The files that the tool says it changes. */
function filesOf({ session, tool, input }: CallRun): readonly string[] {
  const names = tool.resources(input, cwdOf(session))
  return names.flatMap((name) => (name.startsWith("file:") ? [name.slice("file:".length)] : []))
}

async function startPrepared(run: CallRun, locks: CallLocks): Promise<PreparedCall | undefined> {
  const { session, call, tool, input, signal } = run
  const context = contextOf(run)
  const env = { ...context.env, ...locks.environment(context.env) }
  const prepared = await prepare(tool, input, { ...context, env })
  if (prepared.process !== undefined) await locks.record(prepared.process)
  await session.report({
    type: "call-ready",
    callId: call.id,
    class: tool.class,
    digest: digestOf(run),
    revision: tool.revision,
    process: prepared.process,
    locks: locks.held,
    waitMs: session.services.approvalWaitMs,
  })
  if (signal.aborted || findCall(session.state, call.id)?.phase !== "started") {
    prepared.abandon()
    return undefined
  }
  const result = await fenced(prepared, locks).finally(() => endOutput(run))
  if (signal.aborted && result.outcome !== "done") return prepared // cancelled: its end is stored already, or recovery finds it out
  const settled = await afterHooks(run, result)
  await session.report({
    type: "call-settled",
    callId: call.id,
    ...settled,
    output: withRepeatNote(session, tool.name, input, withEditNote(run, settled.output)),
  })
  return prepared
}

/** Characters of changed arguments that the model gets. */
const MAX_EDIT_LENGTH = 4000

/** The model did not write the arguments of a call that was changed when it was approved: its result says what ran. */
function withEditNote(run: CallRun, text: string): string {
  const { session, call } = run
  const editor = editorOf(session.state, call.id, digestOf(run))
  if (editor === undefined) return text
  const input = shortened(JSON.stringify(call.input), MAX_EDIT_LENGTH)
  return `[${principalName(editor.principal)} changed the arguments before approving the call: ${input}]\n${text}`
}

/** A cancelled call does not wait for extensions. */
async function afterHooks(
  { session: { hooks }, tool, input, signal }: CallRun,
  result: ToolResult,
): Promise<ToolResult> {
  if (hooks === undefined || signal.aborted) return result
  return (await Promise.race([hooks.after(tool, input, result), untilAborted(signal)])) ?? result
}

/** A tool that cannot be prepared has failed without an effect. */
async function prepare(tool: Tool, input: JsonValue, context: ToolContext): Promise<PreparedCall> {
  try {
    return await tool.prepare(input, context)
  } catch (fault) {
    const result = failure(fault)
    return { run: () => Promise.resolve(result), abandon: () => {} }
  }
}

/** If the lock was lost, the result says so; nothing is undone. */
async function fenced(prepared: PreparedCall, locks: CallLocks): Promise<ToolResult> {
  const lostBefore = await locks.lostLocks()
  if (lostBefore !== undefined) {
    prepared.abandon()
    return { outcome: "failed", output: `Nothing was done. ${lostBefore}` }
  }
  const result = await runPrepared(prepared)
  const lost = await locks.lostLocks()
  if (lost === undefined) return result
  return { ...result, outcome: "failed", output: `${result.output}\n[${lost} What it did is not undone.]` }
}

async function runPrepared(prepared: PreparedCall): Promise<ToolResult> {
  try {
    return await prepared.run()
  } catch (fault) {
    return failure(fault)
  }
}

function failure(fault: unknown): ToolResult {
  return { outcome: "failed", output: `The tool failed: ${fault instanceof Error ? fault.message : String(fault)}` }
}

async function refuse(session: SessionContext, call: CallState, by: string, reason: string): Promise<void> {
  if (call.phase === "started") {
    await session.report({ type: "call-settled", callId: call.id, outcome: "failed", output: reason })
    return
  }
  await session.report({ type: "judged", callId: call.id, verdict: { kind: "refuse", by, reason } })
}

function contextOf({ session, call, signal }: CallRun): ToolContext {
  const { scrubber, skills } = session.services
  const { org, owner } = session.state.created ?? {}
  const { email, phone } = verifiedContact(session.state) ?? {}
  const verified = {
    ...(email === undefined ? {} : { verifiedEmail: email }),
    ...(phone === undefined ? {} : { verifiedPhone: phone }),
  }
  const visitor = visitorOf(session)
  const rights = rightsOf(session.state)
  return {
    sessionId: session.id,
    callId: call.id,
    idempotencyKey: call.id,
    cwd: cwdOf(session),
    env: session.toolEnv,
    signal,
    scrubber,
    shells: session.shells,
    connect: (destination, closed) => mayConnect(session, call, destination, closed),
    ...serverRequestsOf(session, call, signal),
    agents: agentsOf(session, call.id, signal),
    tasks: tasksOf(session, call.id),
    findTools: (query, limit) => findTools(session, query, limit),
    ...(skills === undefined ? {} : { skills }),
    files: () => filesOfTurn(session),
    ...(visitor === undefined ? {} : { visitor }),
    ...(rights === undefined ? {} : { rights }),
    ...(org === undefined || owner === undefined ? {} : { caller: { org, user: owner, ...verified } }),
    printed: (chunk, stream = "output") => outputOf(session, call, signal).push(chunk, stream),
    progress: (text, fraction) => {
      const message = scrubber.text(text).slice(0, progressLength).toWellFormed()
      if (!signal.aborted) session.publish({ type: "tool.progressed", callId: call.id, message, fraction })
    },
  }
}

/** Created with the first output: most tools print nothing. */
function outputOf(session: SessionContext, { id: callId }: CallState, signal: AbortSignal): LiveOutput {
  const known = session.liveOutputs.get(callId)
  if (known !== undefined) return known
  const output = new LiveOutput(session.services.scrubber, (piece) => {
    if (!signal.aborted) session.publish({ type: "tool.progressed", callId, ...piece })
  })
  session.liveOutputs.set(callId, output)
  return output
}

function endOutput({ session, call }: CallRun): void {
  session.liveOutputs.get(call.id)?.stop()
  session.liveOutputs.delete(call.id)
}

function digestOf({ session, call, tool, input }: CallRun): string {
  return callDigest(session.services.digestKey, session.id, call.id, call.tool, input, tool.revision)
}

function cwdOf(session: SessionContext): string {
  return session.state.created?.cwd ?? process.cwd()
}
