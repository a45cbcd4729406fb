// The tools of the proof and their effects: each run of a tool adds one line to a file outside of the session. An unsafe
// tool must run at most once for a call, a keyed tool always with the same key.
import { existsSync, readFileSync } from "node:fs"
import type { Workspace } from "../../demo/workspace.ts"
import type { Report } from "../violation.ts"
import { eventsOf, type History } from "./check-history.ts"

export function effectsFile(workspace: Workspace): string {
  return workspace.path("effects")
}

/** `tools.define` of the configuration. Each takes its time after its effect, so that it can be killed there. */
export function definedTools(workspace: Workspace) {
  const line = `echo "$TURNHOUSE_CALL_ID $TURNHOUSE_IDEMPOTENCY_KEY" >>'${effectsFile(workspace)}'`
  return {
    look: tool("read", "echo nothing changed"),
    keep: tool("keyed", `${line}; sleep 0.03; echo kept`),
    note: tool("unsafe", `${line}; sleep 0.06; echo noted`),
    risky: tool("unsafe", `${line}; sleep 0.03; echo risked`),
  }
}

/** Those that add a line. */
const acting = new Set(["keep", "note", "risky"])

function tool(type: "read" | "keyed" | "unsafe", script: string) {
  const description = `A tool of the proof (${type}).`
  return { description, input: { type: "object" }, class: type, run: ["sh", "-c", script] }
}

interface Effect {
  readonly callId: string
  readonly key: string
}

export function readEffects(workspace: Workspace): readonly Effect[] {
  const file = effectsFile(workspace)
  const text = existsSync(file) ? readFileSync(file, "utf8") : ""
  return text.split("\n").flatMap((line) => {
    const [callId = "", key = ""] = line.split(" ")
    return callId === "" ? [] : [{ callId, key }]
  })
}

/** After each kill. */
export function checkRepeats(history: History, effects: readonly Effect[], report: Report): void {
  for (const { callId, class: type } of eventsOf(history, "tool.started")) {
    const { length } = effects.filter((effect) => effect.callId === callId)
    if (type === "unsafe" && length > 1)
      report("doubled", "tool.started", `the unsafe call ${callId} had its effect ${length} times`)
  }
}

/** At the end of a conversation; `histories`: of all sessions of the home. */
export function checkEffects(histories: readonly History[], effects: readonly Effect[], report: Report): void {
  const started = histories.flatMap((history) => eventsOf(history, "tool.started"))
  const ended = histories.flatMap((history) => eventsOf(history, "tool.ended"))
  const called = histories.flatMap((history) => eventsOf(history, "tool.called"))
  const ours = new Set(called.filter((one) => acting.has(one.tool)).map(({ callId }) => callId))
  for (const { callId, idempotencyKey } of started) {
    const own = effects.filter((effect) => effect.callId === callId)
    if (own.some(({ key }) => key !== idempotencyKey))
      report("broken", "tool.started", `the call ${callId} ran with another idempotency key`)
    const isDone = ended.some((one) => one.callId === callId && one.outcome === "done")
    if (isDone && ours.has(callId) && own.length === 0)
      report("broken", "tool.ended", `the call ${callId} has a result and had no effect`)
  }
}

/** When nothing runs in the home: no tool ran whose start is not stored. */
export function checkOrigins(histories: readonly History[], effects: readonly Effect[], report: Report): void {
  const started = histories.flatMap((history) => eventsOf(history, "tool.started"))
  const foreign = effects.find(({ callId }) => !started.some((one) => one.callId === callId))
  if (foreign !== undefined)
    report("broken", "tool.started", `the call ${foreign.callId} had an effect, and its start is not stored`)
}
