// What a tool is to the runner. A tool first prepares (its process exists but has not been let go), the runner stores
// the intent, then the tool runs. A prepared call that is abandoned has had no effect.
import type { CallId, SessionId } from "../contract/ids.ts"
import type { Attachment, Citation, InteractionKind, JsonValue, ToolClass, ToolProcess } from "../contract/values.ts"
import type { Rights } from "../knowledge/rights.ts"
import type { Want } from "../features/locks/conflicts.ts"

export interface Tool {
  readonly name: string
  readonly description: string
  readonly class: ToolClass
  /** It cannot change anything, whatever its input: the house itself vouches for it, and plan mode allows no other. */
  readonly onlyLooks?: true
  /** JSON Schema, as models want it. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** A sentence about what is wrong with the input, or nothing. */
  readonly problem: (input: JsonValue) => string | undefined
  /** Names of things that two calls must not touch at once; calls that share one run in call order. */
  readonly resources: (input: JsonValue, cwd: string) => readonly string[]
  /** What others must not do, in this host or another one, while the call runs. */
  readonly locks?: (input: JsonValue, cwd: string) => Promise<readonly Want[]>
  readonly prepare: (input: JsonValue, context: ToolContext) => Promise<PreparedCall>
  /** For tools whose result only the visitor can give: what to ask them, where their client can show it. */
  readonly interaction?: (input: JsonValue) => InteractionRequest
}

export interface InteractionRequest {
  readonly kind: InteractionKind
  readonly spec: JsonValue
  readonly reason: string
}

export interface ToolContext {
  readonly sessionId: SessionId
  readonly callId: CallId
  readonly idempotencyKey: string
  readonly cwd: string
  /** Environment for processes that the tool starts. */
  readonly env: Readonly<Record<string, string>>
  /** Aborted when the call is cancelled: the tool's processes must be gone soon after. */
  readonly signal: AbortSignal
  readonly progress: (message: string, fraction?: number) => void
  /** For whom the call is made. */
  readonly caller?: Caller
  /** Which documents the session may find. */
  readonly rights?: Rights
  /** The agents that can be made to work for the session; absent where there can be none. */
  readonly agents?: Agents
  /** Who is visiting through the network door; absent in all other sessions. */
  readonly visitor?: Visitor
  /** Files that came with the words of this turn, for tools and not for the model. */
  readonly files?: () => Promise<readonly Attachment[]>
  /** Whoever cuts text off takes secrets out first: half a secret is not recognised any more. */
  readonly scrubber?: TextScrubber
}

export interface Visitor {
  /** What the visitor was asked for in words, earlier in this turn. */
  requestedSpec(kind: InteractionKind): JsonValue | undefined
}

/** Agents as the tools of one call see them: child sessions of the session that made the call. */
export interface Agents {
  /** The one that this call makes, or has made. */
  readonly ownId: SessionId
  /** The same call gets the same agent, also when it is run again after a crash. */
  start(order: AgentOrder): Promise<StartedAgent>
  /** Those that work and the newest that have ended, or the one that is meant. */
  look(id?: SessionId): Promise<readonly AgentLine[]>
  /** Why not, as a sentence; nothing when the words were taken. */
  steer(id: SessionId, message: string): Promise<string | undefined>
  /** Waits until the agent is gone, at most so long. */
  result(id: SessionId, waitMs?: number): Promise<AgentResult>
}

export interface AgentOrder {
  readonly task: string
  /** A name for its role. */
  readonly role: string | undefined
  readonly system: string | undefined
  readonly model: string | undefined
  /** The call waits for the answer: when the call is over, so is the agent. */
  readonly isWaitedFor: boolean
  /** Where it works, if not where the session does. */
  readonly cwd?: string | undefined
  readonly worktree?: AgentWorktree | undefined
  readonly endAfterMs?: number | undefined
}

/** A folder of its own, on a branch of its own that begins at a commit. */
export interface AgentWorktree {
  readonly folder: string
  readonly branch: string
  readonly base: string
}

export type StartedAgent =
  | { readonly kind: "started"; readonly id: SessionId }
  | { readonly kind: "no"; readonly why: string }

export interface AgentLine {
  readonly id: SessionId
  readonly role: string | undefined
  readonly state: "working" | "asking" | "idle" | "ended"
  readonly doing: string
  readonly costUsd: number
}

export type AgentResult =
  | {
      readonly kind: "ended"
      readonly outcome: "done" | "interrupted" | "failed"
      readonly text: string
      readonly hadWorktree?: boolean
    }
  | { readonly kind: "still-there" }
  /** It lives on, but not as an agent of this session. */
  | { readonly kind: "left" }
  | { readonly kind: "unknown" }

export interface Caller {
  readonly org: string
  readonly user: string
  readonly verifiedEmail?: string
  readonly verifiedPhone?: string
}

export interface TextScrubber {
  text(value: string): string
  /** Gives out only what can no longer become part of a secret. */
  stream(): { push(piece: string): string; end(): string }
}

export interface PreparedCall {
  readonly process?: ToolProcess
  run(): Promise<ToolResult>
  abandon(): void
}

export interface ToolResult {
  readonly outcome: "done" | "failed"
  readonly output: string
  readonly details?: JsonValue
  /** Places in documents that the output can be checked against. */
  readonly citations?: readonly Citation[]
  /** Set when the output is text from outside: where it came from. */
  readonly untrustedSource?: string
}

/** What they lead to is judged in the agents' own sessions. */
const agentTools = ["subagent", "subagent_start", "subagent_status", "subagent_steer", "subagent_collect"] as const

export function isAgentTool(name: string): boolean {
  return agentTools.some((tool) => tool === name)
}
