// The runner's interface of a tool. A tool first prepares (its process waits at a gate), the runner stores the intent,
// then the tool runs. An abandoned call has no effect.
import type { CallId, SessionId } from "../contract/ids.ts"
import type {
  Attachment,
  Citation,
  FileChange,
  InteractionKind,
  JsonValue,
  ThinkingLevel,
  Question,
  ToolClass,
  ToolProcess,
} from "../contract/values.ts"
import type { Destination } from "../contract/rules/network-rules.ts"
import type { ReadAnswer } from "../contract/rules/questions.ts"
import type { Shells } from "./shell/shells.ts"
import type { Rights } from "../knowledge/rights.ts"
import type { Task, TaskList } from "../contract/views/session-snapshot.ts"
import type { LockRequest } from "../features/locks/conflicts.ts"

export interface Tool {
  readonly name: string
  readonly description: string
  readonly class: ToolClass
  /** It cannot change anything, whatever its input. Plan mode allows no other tools. */
  readonly isReadOnly?: true
  /** It comes from an extension or an MCP server. Many such tools are offered on demand. */
  readonly isExternal?: true
  /** Digest of its description, where that can change while a session runs: approvals hold for one revision. */
  readonly revision?: string
  /** JSON Schema, as models expect it. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** What is wrong with the input; undefined if it is valid. */
  readonly problem: (input: JsonValue) => string | undefined
  /** Resources that two calls must not use at once; calls that share one run in order. */
  readonly resources: (input: JsonValue, cwd: string) => readonly string[]
  /** Locks to hold while the call runs, against this host and others. */
  readonly locks?: (input: JsonValue, cwd: string) => Promise<readonly LockRequest[]>
  readonly prepare: (input: JsonValue, context: ToolContext) => Promise<PreparedCall>
  /** What the call would do to files, for a person who decides about it. Changes nothing. */
  readonly changes?: (input: JsonValue, context: ToolContext) => Promise<ExpectedChanges>
  /** For tools whose result is the answer of a person. */
  readonly questions?: (input: JsonValue) => readonly Question[]
  /** For tools whose result comes from the visitor: what to ask, if the client can show it. */
  readonly interaction?: (input: JsonValue) => InteractionRequest
}

export type ExpectedChanges =
  | { readonly kind: "changes"; readonly changes: FileChange[] }
  | { readonly kind: "unknown" }
  /** The call would fail: a person need not decide about it. */
  | { readonly kind: "no"; readonly reason: string }

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
  /** Aborted when the call is cancelled: the tool must then end its processes. */
  readonly signal: AbortSignal
  readonly progress: (message: string, fraction?: number) => void
  /**
   * Asks a person whether a command may connect to a host that the configuration does not list. The signal is aborted
   * when the connection is closed. Absent where no person can be asked.
   */
  readonly connect?: (destination: Destination, signal: AbortSignal) => Promise<ConnectionAnswer>
  /** Asks a person while the call runs, for a server that the call uses. */
  readonly elicit?: (request: Elicitation, signal: AbortSignal) => Promise<ElicitationAnswer>
  /** Has the session's model answer a request of a server, after an approval. */
  readonly sample?: (request: SamplingRequest, signal: AbortSignal) => Promise<SamplingAnswer>
  /** Shows what the call prints while it runs. Each stream of a command has its own name. */
  readonly printed?: (chunk: Uint8Array, stream?: string) => void
  /** The client user of the call. */
  readonly caller?: Caller
  /** Which documents the session may find. */
  readonly rights?: Rights
  /** Absent where sub-agents are not available. */
  readonly agents?: Agents
  /** The task list of the session. */
  readonly tasks?: SessionTasks
  /** Finds tools that are not offered yet and has them offered from the next request on. */
  readonly findTools?: (query: string, limit: number) => readonly FoundTool[]
  /** Absent where there are no skills. */
  readonly skills?: SessionSkills
  /** Absent where there are no background shells. */
  readonly shells?: Shells
  /** The visitor of a chat service session; absent in other sessions. */
  readonly visitor?: Visitor
  /** Attachments of this turn, for tools and not for the model. */
  readonly files?: () => Promise<readonly Attachment[]>
  /** Text must be scrubbed before it is cut: half a secret is not recognised. */
  readonly scrubber?: TextScrubber
}

export interface FoundTool {
  readonly name: string
  readonly description: string
}

/** What a session takes from a named agent. */
export interface SessionAgent {
  readonly name: string
  readonly description: string
  readonly instructions: string
  readonly model?: string
  readonly thinking?: ThinkingLevel
  /** Default: all of the session. */
  readonly tools?: readonly string[]
  readonly preset?: "careful" | "trusting"
  /** Document sets in which it searches. Default: those of the session. */
  readonly documents?: readonly string[]
}

export interface SessionSkill {
  readonly name: string
  /** A second name: that of its plugin and its own. */
  readonly otherName?: string
  readonly description: string
  /** Whether the model learns of it; people can always name it. */
  readonly isOffered: boolean
}

/** Instructions for kinds of tasks, each a folder of files. */
export interface SessionSkills {
  /** A file of a skill; without a name its instructions, with the names of its other files. */
  open(name: string, file?: string): Promise<OpenedSkill>
}

export type OpenedSkill =
  | { readonly kind: "text"; readonly text: string; readonly folder: string; readonly files: readonly string[] }
  | { readonly kind: "no"; readonly reason: string }

export type ConnectionAnswer =
  | { readonly kind: "allowed" }
  /** The reason is a clause. */
  | { readonly kind: "refused"; readonly reason: string }

/** Questions of an MCP server. The signal that comes with it is aborted when the server no longer waits. */
export interface Elicitation {
  readonly server: string
  readonly message: string
  readonly questions: readonly Question[]
}

/** The reasons are clauses. */
export type ElicitationAnswer =
  | { readonly kind: "answered"; readonly answers: readonly ReadAnswer[] }
  /** By a person. */
  | { readonly kind: "declined"; readonly reason: string }
  /** Without an answer of a person. */
  | { readonly kind: "cancelled"; readonly reason: string }

/** A prompt of an MCP server for the session's model. The model gets nothing else. */
export interface SamplingRequest {
  readonly server: string
  readonly system?: string
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly text: string }[]
  readonly maxTokens: number
}

export type SamplingAnswer =
  | { readonly kind: "answered"; readonly text: string; readonly model: string }
  /** The reason is a clause. */
  | { readonly kind: "refused"; readonly reason: string }

export interface SessionTasks {
  /** Replaces the agent's own tasks; tasks of people stay. */
  write(tasks: readonly Pick<Task, "text" | "status">[]): Promise<WrittenTasks>
}

export type WrittenTasks =
  | { readonly kind: "written"; readonly tasks: TaskList }
  | { readonly kind: "no"; readonly reason: string }

export interface Visitor {
  /** What was requested from the visitor in text, earlier in this turn. */
  requestedSpec(kind: InteractionKind): JsonValue | undefined
}

/** Sub-agents: child sessions of the session that made the call. */
export interface Agents {
  /** The agent of this call. */
  readonly ownId: SessionId
  /** Idempotent per call, also after a crash. */
  start(order: AgentOrder): Promise<StartedAgent>
  /** Running agents and the newest ended ones, or the given one. */
  list(id?: SessionId): Promise<readonly AgentLine[]>
  /** Why the message was not accepted; undefined if it was. */
  steer(id: SessionId, message: string): Promise<string | undefined>
  /** Waits until the agent has ended, at most `waitMs`. */
  result(id: SessionId, waitMs?: number): Promise<AgentResult>
}

export interface AgentOrder {
  readonly task: string
  /** A name for its role. */
  readonly role: string | undefined
  readonly system: string | undefined
  readonly model: string | undefined
  readonly thinking: ThinkingLevel | undefined
  /** The call waits for the answer: the agent ends with the call. */
  readonly isAwaited: boolean
  /** Its working folder, if not the session's. */
  readonly cwd?: string | undefined
  readonly worktree?: AgentWorktree | undefined
  readonly endAfterMs?: number | undefined
}

/** A separate folder on a separate branch that starts at a commit. */
export interface AgentWorktree {
  readonly folder: string
  readonly branch: string
  readonly base: string
}

export type StartedAgent =
  | { readonly kind: "started"; readonly id: SessionId }
  | { readonly kind: "no"; readonly reason: string }

export interface AgentLine {
  readonly id: SessionId
  readonly role: string | undefined
  readonly state: "working" | "asking" | "idle" | "ended"
  readonly activity: string
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
  /** It still exists, but not as an agent of this session. */
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
  /** Returns only text that cannot become part of a secret. */
  stream(): { push(piece: string): string; end(): string }
}

export interface PreparedCall {
  readonly process?: ToolProcess
  run(): Promise<ToolResult>
  /** After `run`: until when its processes run on. The locks of the call are kept until then. */
  readonly outlived?: () => Promise<void> | undefined
  abandon(): void
}

export interface ToolResult {
  readonly outcome: "done" | "failed"
  readonly output: string
  readonly details?: JsonValue
  /** For the model, after the output, which says what they are. */
  readonly images?: readonly Attachment[]
  /** Passages of documents that support the output. */
  readonly citations?: readonly Citation[]
  /** The source, if the output is untrusted text. */
  readonly untrustedSource?: string
}

/** Their effects are checked in the agents' own sessions. */
const agentTools = ["subagent", "subagent_start", "subagent_status", "subagent_steer", "subagent_collect"] as const

export function isAgentTool(name: string): boolean {
  return agentTools.some((tool) => tool === name)
}
