// A session in one line: what a directory shows without opening it. Stored beside the log with every append.
import type { EventOf, Recorded } from "../contract/events.ts"
import { checks } from "../contract/generated/status.js"
import { limits } from "../contract/limits.ts"
import type { Grant } from "../contract/values.ts"
import type { Activity, SessionStatus } from "../contract/views/status.ts"
import { foldMessageCount, unknownCount } from "./message-count.ts"
import { foldUsage, noUsage } from "./usage.ts"

export type { Activity, SessionStatus } from "../contract/views/status.ts"

const titleLength = 80

export const noStatus: SessionStatus = {
  name: undefined,
  aliases: [],
  title: undefined,
  model: "",
  cwd: "",
  origin: "",
  org: "",
  owner: "",
  parentId: undefined,
  spawnReason: undefined,
  depth: 0,
  life: "open",
  inTurn: false,
  parked: false,
  hibernated: false,
  compacting: false,
  planMode: false,
  openApprovals: 0,
  escalated: undefined,
  childApprovals: 0,
  children: 0,
  folderGrants: [],
  waitingPrompts: 0,
  turns: 0,
  messages: unknownCount,
  usage: noUsage,
}

export function activityOf(status: SessionStatus): Activity {
  if (status.hibernated) return "hibernated"
  if (status.openApprovals > 0) return "asking"
  if (status.parked) return "parked"
  return status.inTurn || status.compacting ? "busy" : "idle"
}

export function foldStatus(status: SessionStatus, recorded: Recorded): SessionStatus {
  const next = fold(status, recorded)
  const usage = foldUsage(next.usage, recorded)
  const messages = foldMessageCount(next.messages, recorded.event)
  return usage === next.usage && messages === next.messages ? next : { ...next, usage, messages }
}

function fold(status: SessionStatus, { at, event }: Recorded): SessionStatus {
  switch (event.type) {
    case "session.created":
      return created(status, event)
    case "session.aliased":
      return { ...status, aliases: withAliases(status.aliases, [event.alias]) }
    case "session.orphaned":
      return { ...status, parentId: undefined, spawnReason: undefined, depth: 0 }
    case "session.hibernated":
      return { ...status, hibernated: true }
    case "session.woken":
      return { ...status, hibernated: false }
    case "session.renamed":
      return { ...status, name: event.name }
    case "session.reopened":
      return { ...status, life: "open" }
    case "session.ended":
      return { ...status, life: "ended", planMode: false, hibernated: false, escalated: undefined }
    case "prompt.admitted":
      return { ...status, title: status.title ?? titleOf(event.text), waitingPrompts: status.waitingPrompts + 1 }
    case "prompt.promoted":
    case "prompt.withdrawn":
      return { ...status, waitingPrompts: status.waitingPrompts - 1 }
    case "turn.started":
      return { ...status, inTurn: true, turns: status.turns + 1 }
    case "turn.parked":
      return { ...status, parked: true }
    case "turn.resumed":
      return { ...status, parked: false }
    case "turn.ended":
      return { ...status, inTurn: false, parked: false }
    case "compaction.started":
      return { ...status, compacting: true }
    case "compaction.failed":
    case "context.compacted":
      return { ...status, compacting: false }
    case "approval.requested":
      return { ...status, openApprovals: status.openApprovals + 1 }
    case "approval.decided":
      return { ...status, openApprovals: status.openApprovals - 1 }
    case "escalation.raised":
      return { ...status, escalated: { reason: event.reason, at } }
    case "escalation.settled":
      return { ...status, escalated: undefined }
    case "child.spawned":
      return { ...status, children: status.children + 1 }
    case "child.detached":
    case "child.ended":
      return { ...status, children: status.children - 1 }
    case "child.asked":
      return { ...status, childApprovals: status.childApprovals + 1 }
    case "child.answered":
      return { ...status, childApprovals: status.childApprovals - 1 }
    case "policy.granted":
      return event.scope === "folder" ? { ...status, folderGrants: [...status.folderGrants, grantOf(event)] } : status
    case "policy.revoked":
      return { ...status, folderGrants: status.folderGrants.filter(({ grantId }) => grantId !== event.grantId) }
    case "model.selected":
      return { ...status, model: event.model }
    case "thinking.selected":
      return { ...status, thinking: event.level }
    case "voting.selected":
      return { ...status, voting: event.voting }
    case "budget.raised":
      return { ...status, budget: event.budget }
    case "plan.entered":
      return { ...status, planMode: true }
    case "plan.exited":
      return { ...status, planMode: false }
    default:
      return status // does not show in one line
  }
}

function created(status: SessionStatus, event: EventOf<"session.created">): SessionStatus {
  const { name, model, thinking, cwd, origin, org, owner, agentId, parent } = event
  const aliases = withAliases([], event.aliases ?? [])
  const agent = agentId === undefined ? {} : { agentId }
  const level = thinking === undefined ? {} : { thinking }
  const isLimited = event.budget.usd !== undefined || event.budget.tokens !== undefined
  const limit = isLimited ? { budget: event.budget } : {}
  const line = { ...status, name, model, ...level, cwd, origin, org, owner, ...agent, ...limit, aliases }
  if (parent === undefined) return line
  return { ...line, parentId: parent.sessionId, spawnReason: parent.reason, depth: parent.depth }
}

function withAliases(known: readonly string[], more: readonly string[]): readonly string[] {
  return [...new Set([...known, ...more])].slice(-limits.aliases)
}

function grantOf({ grantId, tool, pattern, scope, revision }: EventOf<"policy.granted">): Grant {
  return { grantId, tool, pattern, scope, ...(revision === undefined ? {} : { revision }) }
}

function titleOf(text: string): string {
  const letters = Array.from(
    text
      .slice(0, 4 * titleLength)
      .replaceAll(/\s+/g, " ")
      .trim(),
  )
  return letters.length > titleLength
    ? `${letters
        .slice(0, titleLength - 1)
        .join("")
        .trimEnd()}…`
    : letters.join("")
}

/** A stored line of the directory, completed where an older release wrote it. Undefined if it cannot be read. */
export function readStatus(value: unknown): SessionStatus | undefined {
  return checks.status(value) ? value : undefined
}
