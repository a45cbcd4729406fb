// What effects and tools see of a live session, and what a session gets from its host. Everything that is not pure comes
// in through `services`, so that a test can replace the clock, the ids and the model, and nothing else.
import type { SessionCommand } from "../contract/commands.ts"
import type { SessionDelta } from "../contract/deltas.ts"
import type { SendOutcome, Watcher } from "../contract/host-port.ts"
import type { CallId, SessionId, TurnId } from "../contract/ids.ts"
import type { By, Grant, JsonValue, ToolProcess, Who } from "../contract/values.ts"
import type { Ledger } from "../features/budget/effects/ledger.ts"
import type { CodeService } from "../features/chat-service/verification/effects/codes.ts"
import type { EventLog, Lease } from "../log/event-log.ts"
import type { ServerStatus } from "../mcp/running-server.ts"
import type { ModelSource } from "../models/model-source.ts"
import type { Context } from "../projection/context.ts"
import type { SessionStatus } from "../projection/status.ts"
import type { RunnerReport } from "../session/report.ts"
import type { CallState, SessionState } from "../session/state.ts"
import type { Shells } from "../tools/shell/shells.ts"
import type { SessionAgent, SessionSkill, SessionSkills, Tool } from "../tools/tool.ts"
import type { HookPoints, HookSource } from "./hooks/hook-points.ts"
import type { CheckpointTimer } from "./model/checkpoint-timer.ts"
import type { Streaming } from "./model/streaming.ts"
import type { LiveOutput } from "./tools/live-output.ts"
import type { TurnMemory } from "./prompt/turn-memory.ts"
import type { Resources } from "./tools/resources.ts"
import type { Verdict } from "./tools/verdict.ts"
import type { Workflow } from "../contract/config.ts"
import type { EventOf } from "../contract/events.ts"
import type { CommandAnswer } from "../contract/host-commands.ts"
import type { TypedCommand } from "../contract/views/host.ts"
import type { SessionInstructions } from "../contract/views/instructions.ts"
import type { TaskList } from "../features/tasks/task-list.ts"
import type { FileHistory } from "../features/undo/store/file-history.ts"
import type { Locks } from "../features/locks/store/locks.ts"
import type { KnowledgeSource } from "../tools/knowledge-search.ts"

export interface SessionContext {
  readonly id: SessionId
  readonly services: Services
  readonly state: SessionState
  readonly status: SessionStatus
  readonly context: Context
  readonly tasks: TaskList
  /** Built-in tools and those of extensions and MCP servers. */
  readonly tools: readonly Tool[]
  /** Absent where there are no extensions, and before the session has begun. */
  readonly hooks: HookPoints | undefined
  /** Absent where there are no MCP servers, and before the session has begun. */
  readonly servers: McpServers | undefined
  /** Tools that the model has found by a search, where there are too many to offer all. */
  readonly foundTools: Set<string>
  /** Environment of tool processes. */
  readonly toolEnv: Readonly<Record<string, string>>
  readonly resources: Resources
  /** Arguments that hold a secret: they are kept here and nowhere else. */
  readonly realInputs: Map<CallId, JsonValue>
  /** Background shells. */
  readonly shells: Shells
  /** What running calls have printed. */
  readonly liveOutputs: Map<CallId, LiveOutput>
  /** What the running turn's prompt takes from files. */
  readonly turnMemory: TurnMemory
  /** By model: the size of the last request that its provider refused as too long. */
  readonly refusedTokens: Map<string, number>
  /** Answers of a turn that broke off since its last whole one. */
  cutAnswers: { readonly turnId: TurnId | undefined; readonly count: number }
  /** The text of the open step so far, to which the next deltas belong. */
  readonly streaming: Streaming | undefined
  send(command: SessionCommand, who: Who): Promise<SendOutcome>
  report(report: RunnerReport): Promise<SendOutcome>
  watch(watcher: Watcher, by?: By): () => void
  publish(delta: SessionDelta): void
  stream(streaming: Streaming): void
  /** Shown on every door, also on those that connect later; each message once. */
  warn(message: string): void
}

export interface Services extends Setting {
  readonly log: EventLog
  readonly lease: Lease
  readonly now: () => number
  readonly newId: () => string
  readonly ledger: Ledger
  /** Key of the digests that bind approvals to arguments, so that the log does not reveal the arguments. */
  readonly digestKey: Uint8Array
  /** Ends what a closed session's tools left running. */
  readonly leaveSession: (sessionId: SessionId) => Promise<void>
  readonly children: ChildRunner
  /** When streamed text is stored. */
  readonly checkpoints: CheckpointTimer
  /** Shared with the other hosts of this home; absent where no locks are used. */
  readonly locks?: LockSource | undefined
  /** States of folders before and after turns, for undo; absent where none are kept. */
  readonly fileHistory?: FileHistorySource | undefined
  /** Permissions for every session in a folder. */
  readonly folderGrants: (cwd: string) => Promise<readonly Grant[]>
  /** Ends processes that the tools of a dead host left running, and returns what it found. */
  readonly sweep: Sweep
  /** For the operator of the host; what a session must know is stored in its log instead. */
  readonly warn: (message: string, sessionId: SessionId) => void
}

/** What the configuration determines; it may differ between the sessions of a host. */
export interface Setting {
  readonly models: ModelSource
  /** Models that continue a turn whose provider fails, in this order. */
  readonly fallback?: readonly string[] | undefined
  readonly tools: readonly Tool[]
  /** Asked about every call, in this order; the first that refuses or changes it decides. */
  readonly gates: readonly Gate[]
  /** Absent where there are no extensions. */
  readonly hooks?: HookSource | undefined
  /** Absent where the session can have no MCP servers. */
  readonly servers?: ServerSource | undefined
  /** What operators should know about how the session is configured, such as files that are not read. */
  readonly warnings?: readonly string[]
  /** Typed commands, besides those of a door. */
  readonly commands?: TypedCommands | undefined
  readonly scrubber: Scrubber
  /** Whether the model gets a hint about what `it` and `the file` in a prompt refer to. */
  readonly hintsReferences?: boolean | undefined
  /** Environment of tool processes. */
  readonly toolEnv: Readonly<Record<string, string>>
  /** Whether tools see a variable of the shell that opened the session; all of them if not set. */
  readonly passesVariable?: (name: string, value: string) => boolean
  /** Instruction files of the user and the folder; absent where visitors talk to the session. */
  readonly instructions?: InstructionReader | undefined
  /** Where the session works; absent where visitors talk to it. */
  readonly environment?: EnvironmentReader | undefined
  /** Instructions for one kind of task, by name. */
  readonly skills?: SkillSource | undefined
  /** Agents with instructions of their own, by name; absent where visitors talk to the session. */
  readonly agents?: AgentSource | undefined
  /** Absent where documents are not available. */
  readonly knowledge?: KnowledgeSetting | undefined
  /** Configuration of the agent, in sessions of the WebSocket API. */
  readonly service?: ServiceSettings | undefined
  /** Sends and checks one-time codes; absent where none can be sent. */
  readonly codes?: CodeService | undefined
  /** How long a request for approval waits; absent means forever. */
  readonly approvalWaitMs: number | undefined
}

/** The MCP servers of a tree of sessions, shared by its members. Each `enter` needs a `leave`. */
export interface ServerSource {
  enter(tree: ServerTree): McpServers
  leave(rootId: SessionId): Promise<void>
}

/** As the sessions of a tree use its servers. Types of the SDK stay out of it: the types of the library need no package. */
export interface McpServers {
  /** Of the servers that have started so far. */
  readonly tools: readonly Tool[]
  /** What trusted servers say about their use. */
  readonly instructions: readonly string[]
  readonly statuses: readonly ServerStatus[]
  /** Starts those that do not run. Resolves when each is ready or has failed, or when turns have waited for it that long. */
  ready(signal?: AbortSignal, ms?: number): Promise<void>
  /** Prompts of the servers that have started so far, as typed commands. */
  promptCommands(): Promise<readonly TypedCommand[]>
  /** Never rejects. */
  runPrompt(name: string, args: readonly string[]): Promise<CommandAnswer>
  /** Also gets the earlier warnings. */
  follow(warn: (sentence: string) => void): void
}

export interface ServerTree {
  readonly rootId: SessionId
  readonly org: string
  readonly cwd: string
  /** Environment of its processes, as it is when one starts. */
  readonly env: () => Readonly<Record<string, string>>
}

/** Runs the child sessions of a session. */
export interface ChildRunner {
  /** Creates or opens the child, runs it and reports its end to its parent. */
  keep(parent: SessionContext, childId: SessionId, signal: AbortSignal): Promise<void>
  end(parent: SessionContext, childId: SessionId, when: "now" | "idle", signal: AbortSignal): Promise<void>
  /** The child, if it is open here. */
  find(childId: SessionId): Promise<SessionContext | undefined>
  /** Makes the child the root of its own tree, and reports that. */
  detach(parent: SessionContext, childId: SessionId, signal: AbortSignal): Promise<void>
}

export interface GatedCall {
  readonly session: SessionContext
  readonly call: CallState
  readonly tool: Tool
  /** The real arguments, secrets included. */
  readonly input: JsonValue
}

export type Gate = (gated: GatedCall) => Promise<Verdict | undefined> | Verdict | undefined

/** Documents, and how many passages are searched for every turn. */
export interface KnowledgeSetting {
  readonly source: KnowledgeSource
  readonly autoRetrieve: number
}

interface InstructionReader {
  /** As the files are now. */
  read(): Promise<SessionInstructions>
}

export interface EnvironmentReader {
  /** Platform, shell, folder. */
  stable(): Promise<string>
  /** Date and git state; never takes long. */
  changing(at: number): Promise<string>
}

interface AgentSource {
  list(): Promise<readonly SessionAgent[]>
  find(name: string): Promise<SessionAgent | undefined>
  /** Files that are not used, each with the reason. */
  problems(): Promise<readonly string[]>
  problemOf(name: string): Promise<string | undefined>
}

interface SkillSource extends SessionSkills {
  list(): Promise<readonly SessionSkill[]>
  /** Its text without front matter; undefined for an unknown skill. */
  read(name: string): Promise<string | undefined>
}

export interface ServiceSettings {
  readonly instructions?: string | undefined
  readonly greeting?: string | undefined
  readonly visibility?: "public" | "internal" | undefined
  /** A fast model that writes one sentence before the answer begins. */
  readonly preamble?: string | undefined
  readonly workflow?: Workflow | undefined
  /** The model that judges its steps. Default: that of the turn. */
  readonly judge?: string | undefined
  /** Which tools of extensions the agent may use. Default: all. */
  readonly allows?: ((tool: string) => boolean) | undefined
}

/** Commands from files of the user or the folder. */
export interface TypedCommands {
  list(): Promise<readonly TypedCommand[]>
  run(name: string, args: readonly string[]): Promise<CommandAnswer>
}

/** What the settings of a session depend on. */
export type SettingsRequest = Pick<
  EventOf<"session.created">,
  "cwd" | "configuration" | "settingsFolder" | "preset" | "origin" | "agentId" | "documents"
>

/** Loaded before the first call that can change files. */
export interface FileHistorySource {
  load(): Promise<FileHistory>
}

/** Loaded when a lock is first needed or listed. */
export interface LockSource {
  load(): Promise<Locks>
}

/** Takes secrets out of everything that is stored or shown. */
export interface Scrubber {
  text(value: string): string
  json(value: JsonValue): JsonValue
  /** For text that comes in chunks: a secret may span two of them. */
  stream(): { push(piece: string): string; end(): string }
}

/** Returns one sentence of evidence per process. */
type Sweep = (processes: readonly ToolProcess[]) => Promise<readonly string[]>
