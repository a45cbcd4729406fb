// Sessions of a directory as trees of agents, and their drawing in text. Every session appears once: one whose parent is
// not in the list is a root, and a cycle of parents is cut at its first session.
import type { SessionId } from "../../contract/ids.ts"
import { activityOf, type Activity, type SessionStatus } from "../../projection/status.ts"

export interface AgentLine {
  readonly sessionId: SessionId
  readonly status: SessionStatus
  /** Whether a host has it open. */
  readonly live: boolean
}

export interface AgentNode extends AgentLine {
  readonly children: readonly AgentNode[]
}

export function agentForest(lines: readonly AgentLine[]): readonly AgentNode[] {
  const known = new Set(lines.map(({ sessionId }) => sessionId))
  const byParent = Map.groupBy(lines, ({ status }) => status.parentId)
  const seen = new Set<SessionId>()
  const nodeOf = (line: AgentLine): readonly AgentNode[] => {
    if (seen.has(line.sessionId)) return []
    seen.add(line.sessionId)
    return [{ ...line, children: (byParent.get(line.sessionId) ?? []).flatMap(nodeOf) }]
  }
  const isRoot = ({ status: { parentId } }: AgentLine) => parentId === undefined || !known.has(parentId)
  return [...lines.filter(isRoot), ...lines].flatMap(nodeOf)
}

/** `current` is marked: the agent that views the tree. */
export function agentTreeText(forest: readonly AgentNode[], current?: SessionId): string {
  if (forest.length === 0) return "No active agents"
  return ["Agents:", ...branches(forest, "", current)].join("\n")
}

function branches(nodes: readonly AgentNode[], prefix: string, current: SessionId | undefined): readonly string[] {
  return nodes.flatMap((node, index) => {
    const isLast = index === nodes.length - 1
    const line = `${prefix}${isLast ? "└── " : "├── "}${nodeText(node, current)}`
    return [line, ...branches(node.children, `${prefix}${isLast ? "    " : "│   "}`, current)]
  })
}

function nodeText({ sessionId, status }: AgentNode, current: SessionId | undefined): string {
  const reason = status.spawnReason === undefined ? "" : ` (${status.spawnReason})`
  return `${sessionId} [${status.model}] ${agentActivity(status)}${reason}${sessionId === current ? " ← current" : ""}`
}

export function agentActivity(status: SessionStatus): Activity | "ended" {
  return status.life === "ended" ? "ended" : activityOf(status)
}
