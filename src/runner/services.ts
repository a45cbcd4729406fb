// What a session needs from the house it lives in. Everything that is not pure comes in here, so that a test can
// replace the clock, the ids and the model, and nothing else.
import type { CodeService } from "../features/chat-service/verification/code-service.ts"
import type { Workflow } from "../contract/config.ts"
import type { EventOf } from "../contract/events.ts"
import type { SessionId } from "../contract/ids.ts"
import type { CommandAnswer, TypedCommand } from "../contract/typed-commands.ts"
import type { Grant, JsonValue, ToolProcess } from "../contract/values.ts"
import type { EventLog, Lease } from "../log/event-log.ts"
import type { Locks } from "../features/locks/store/locks.ts"
import type { ModelSource } from "../models/model-source.ts"
import type { KnowledgeSource } from "../tools/knowledge-search.ts"
import type { Tool } from "../tools/tool.ts"
import type { Beat } from "./model/checkpoint-timer.ts"
import type { Ledger } from "../features/budget/effects/ledger.ts"
import type { Gate } from "./tools/gates.ts"
import type { HookSource } from "./hooks/hook-points.ts"
import type { SessionActor } from "./session-actor.ts"

export interface Services extends Setting {
  readonly log: EventLog
  readonly lease: Lease
  readonly now: () => number
  readonly newId: () => string
  readonly ledger: Ledger
  /** Binds approvals to arguments without the log giving the arguments away. */
  readonly digestKey: Uint8Array
  /** Ends what a closed session's tools left running. */
  readonly leaveSession: (sessionId: SessionId) => Promise<void>
  readonly children: ChildKeeper
  /** When text that is still being written is stored. */
  readonly checkpoints: Beat
  /** Shared with the other hosts of the home; absent where nothing is locked. */
  readonly locks?: LockSource | undefined
  /** Permissions that were given for every session in a folder. */
  readonly folderGrants: (cwd: string) => Promise<readonly Grant[]>
  /** Ends what a dead owner's tools may have left running and says what was found. */
  readonly sweep: Sweep
  /** For the person who runs the host; never the place for what a session must know. */
  readonly warn: (message: string, sessionId: SessionId) => void
}

/** What the configuration makes of a session: it may be another one for each session of a house. */
export interface Setting {
  readonly models: ModelSource
  readonly tools: readonly Tool[]
  /** Asked in this order about every call; the first that does not say yes decides. */
  readonly gates: readonly Gate[]
  /** Absent where there are no extensions. */
  readonly hooks?: HookSource | undefined
  /** What operators should know about how the session is configured, such as files that are not read. */
  readonly warnings?: readonly string[]
  /** What people may type besides the commands of a door. */
  readonly commands?: TypedCommands | undefined
  readonly scrubber: Scrubber
  /** Whether the model is told what `it` and `the file` in a person's words point at. */
  readonly hintsReferences?: boolean | undefined
  /** Environment of tool processes. */
  readonly toolEnv: Readonly<Record<string, string>>
  /** Whether tools see a variable of the shell that opened the session; all of them if not set. */
  readonly passesVariable?: (name: string, value: string) => boolean
  /** Instructions for one kind of task, by name. */
  readonly skills?: SkillSource | undefined
  /** Absent where there can be no documents. */
  readonly knowledge?: KnowledgeSetting | undefined
  /** What the configuration says of the agent, in sessions of the network door. */
  readonly service?: ServiceSetting | undefined
  /** By which visitors prove who they are; absent where no codes can be sent. */
  readonly codes?: CodeService | undefined
  /** How long a request for approval waits in a session; absent means for ever. */
  readonly approvalWaitMs: number | undefined
}

/** Documents, and how many passages of them are looked up for every turn. */
export interface KnowledgeSetting {
  readonly source: KnowledgeSource
  readonly autoRetrieve: number
}

export interface SkillSource {
  list(): Promise<readonly string[]>
  read(name: string): Promise<string | undefined>
}

export interface ServiceSetting {
  readonly instructions?: string | undefined
  readonly greeting?: string | undefined
  readonly visibility?: "public" | "internal" | undefined
  /** A quick model that says a sentence before the answer begins. */
  readonly preamble?: string | undefined
  readonly workflow?: Workflow | undefined
  /** The model that judges its steps. Default: that of the turn. */
  readonly judge?: string | undefined
  /** Which of the tools that extensions bring the agent may have. Default: all. */
  readonly allows?: ((tool: string) => boolean) | undefined
}

/** Commands that somebody has written down. */
export interface TypedCommands {
  list(): Promise<readonly TypedCommand[]>
  run(name: string, args: readonly string[]): Promise<CommandAnswer>
}

/** What decides about a session's setting. */
export type SettingWish = Pick<
  EventOf<"session.created">,
  "cwd" | "configuration" | "settingsFolder" | "preset" | "origin" | "agentId"
>

/** Runs the sessions that a session has spawned. */
export interface ChildKeeper {
  /** Sees to it that the child exists and works, and reports its end to its parent. */
  keep(parent: SessionActor, childId: SessionId, signal: AbortSignal): Promise<void>
  end(parent: SessionActor, childId: SessionId, when: "now" | "idle", signal: AbortSignal): Promise<void>
  /** The child, if it is open here. */
  find(childId: SessionId): Promise<SessionActor | undefined>
  /** Lets the child live on as a root of its own, and reports that. */
  detach(parent: SessionActor, childId: SessionId, signal: AbortSignal): Promise<void>
}

/** Loaded when somebody first needs a lock, or looks at them. */
export interface LockSource {
  load(): Promise<Locks>
}

/** Takes secrets out of everything that is stored or shown. */
export interface Scrubber {
  text(value: string): string
  json(value: JsonValue): JsonValue
  /** For text that comes in pieces: a secret may lie across their borders. */
  stream(): { push(piece: string): string; end(): string }
}

/** One sentence of evidence for each process. */
export type Sweep = (processes: readonly ToolProcess[]) => Promise<readonly string[]>
