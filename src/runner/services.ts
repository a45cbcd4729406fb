// Parts of what a session gets from its host (session-context.ts).
import type { Workflow } from "../contract/config.ts"
import type { EventOf } from "../contract/events.ts"
import type { CommandAnswer } from "../contract/host-commands.ts"
import type { TypedCommand } from "../contract/views/host.ts"
import type { JsonValue, ToolProcess } from "../contract/values.ts"
import type { Locks } from "../features/locks/store/locks.ts"
import type { KnowledgeSource } from "../tools/knowledge-search.ts"

/** Documents, and how many passages are searched for every turn. */
export interface KnowledgeSetting {
  readonly source: KnowledgeSource
  readonly autoRetrieve: number
}

export interface SkillSource {
  list(): Promise<readonly string[]>
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
  "cwd" | "configuration" | "settingsFolder" | "preset" | "origin" | "agentId"
>

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
export type Sweep = (processes: readonly ToolProcess[]) => Promise<readonly string[]>
