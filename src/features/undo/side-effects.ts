// What a turn may have done that no snapshot of a folder can take back, as sentences for people. Pure.
import type { Recorded } from "../../contract/events.ts"
import { mainArgument } from "../../contract/rules/core-tools.ts"
import { oneLine } from "../../contract/text/text.ts"
import type { JsonValue } from "../../contract/values.ts"

const MAX_CALLS = 10
const CALL_WIDTH = 100
/** Tools of files: what they change is in the folder, unless the path says otherwise. */
const fileTools = new Set(["write", "edit", "apply_patch", "multi_edit"])

export function sideEffects(events: readonly Recorded[], folder: string): readonly string[] {
  const calls = startedCalls(events)
  const outside = calls.filter(({ tool, input }) => fileTools.has(tool) && isOutside(mainArgument(tool, input), folder))
  const others = calls.filter(({ tool, isUnsafe }) => isUnsafe && !fileTools.has(tool))
  return [
    ...outside.map(({ tool, input }) => `Files outside the folder stay: ${describe(tool, input)}`),
    ...others
      .slice(0, MAX_CALLS)
      .map(({ tool, input }) => `May have had effects outside the folder: ${describe(tool, input)}`),
    ...(others.length > MAX_CALLS
      ? [`May have had effects outside the folder: ${others.length - MAX_CALLS} more calls`]
      : []),
    ...worktrees(events),
  ]
}

interface StartedCall {
  readonly tool: string
  readonly input: JsonValue
  readonly isUnsafe: boolean
}

function startedCalls(events: readonly Recorded[]): readonly StartedCall[] {
  const called = new Map<string, { readonly tool: string; readonly input: JsonValue }>()
  const started: StartedCall[] = []
  for (const { event } of events) {
    if (event.type === "tool.called" || event.type === "tool.modified") {
      const tool = event.type === "tool.called" ? event.tool : (called.get(event.callId)?.tool ?? "")
      called.set(event.callId, { tool, input: event.input })
    }
    const call = event.type === "tool.started" ? called.get(event.callId) : undefined
    if (event.type === "tool.started" && call !== undefined) started.push({ ...call, isUnsafe: event.class !== "read" })
  }
  return started
}

function isOutside(path: string, folder: string): boolean {
  return path.startsWith("/") && path !== folder && !path.startsWith(`${folder}/`)
}

function describe(tool: string, input: JsonValue): string {
  return oneLine(`${tool} ${mainArgument(tool, input)}`, CALL_WIDTH)
}

function worktrees(events: readonly Recorded[]): readonly string[] {
  return events.flatMap(({ event }) =>
    event.type === "child.spawned" && event.worktree !== undefined
      ? [`The branch of agent ${event.childId.slice(-12)} stays: ${event.worktree.branch}`]
      : [],
  )
}
