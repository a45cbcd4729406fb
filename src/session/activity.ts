// The current activity of a session in a few words.
import { activityOf, mainArgument } from "../contract/rules/core-tools.ts"
import { features } from "./features.ts"
import { openCalls, type CallState, type SessionState } from "./state.ts"

const MAX_LENGTH = 120

export function currentActivity(state: SessionState): string {
  if (state.life === "ended") return "ended"
  for (const feature of features) {
    const activity = feature.activity?.(state)
    if (activity !== undefined) return activity
  }
  if (state.compaction !== undefined) return "summarising the conversation"
  if (state.turn === undefined) return "idle"
  if (state.turn.parked !== undefined) return "parked"
  const call = openCalls(state).findLast(({ phase }) => phase === "started")
  return call === undefined ? "thinking" : callText(call)
}

function callText({ tool, input }: CallState): string {
  const verb = activityOf(tool)
  if (verb === undefined) return tool.startsWith("subagent") ? "working with agents" : `using ${tool}`
  const line = `${verb} ${mainArgument(tool, input)}`.replaceAll(/\s+/g, " ")
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1).toWellFormed()}…` : line
}
