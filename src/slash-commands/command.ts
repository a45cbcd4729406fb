// What a slash command comes to: an answer, or something that must be done first. Steps are data and pure functions;
// whoever has the session carries them out (`run.ts`), so that every command can be tested without one.
import type { SessionCommand } from "../contract/commands.ts"
import type { ApprovalId, SessionId } from "../contract/ids.ts"
import type { HouseQuery } from "../contract/queries.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { JsonValue, ToolMode } from "../contract/values.ts"
import type { SessionStatus } from "../projection/status.ts"
import type { TaskList } from "../projection/tasks.ts"
import type { Mark } from "../projection/session-snapshot.ts"

/** The session as whoever types sees it now. */
export interface SlashView {
  readonly sessionId: SessionId
  readonly model: string
  readonly toolMode: ToolMode
  readonly status: SessionStatus
  readonly tasks: TaskList
  readonly marks: readonly Mark[]
  /** What waits for a person, oldest first. */
  readonly requests: readonly SlashRequest[]
  /** When one of them was last answered; absent where that is not known. */
  readonly answeredAt?: number | undefined
}

export interface SlashRequest {
  readonly approvalId: ApprovalId
  /** Who asks: this session or one that descends from it. */
  readonly sessionId: SessionId
  readonly tool: string
  readonly input: JsonValue
  readonly reason: string
  readonly digest?: string | undefined
}

export interface SlashOptions {
  /** Names that may not be used, in any case of their letters. */
  readonly blocked: readonly string[]
  readonly newSessionId: () => SessionId
  readonly now: () => number
  /** Where the command was typed, for what cannot be done there. */
  readonly place?: string | undefined
  /** Commands that mean something else in that place, and are not in its help. */
  readonly ownWords?: readonly string[] | undefined
}

export interface SlashCall {
  readonly name: string
  readonly args: readonly string[]
  readonly view: SlashView
  readonly options: SlashOptions
  readonly catalogue: SlashCatalogue
}

/** All that is known by itself: as people are shown it, and by name. */
export interface SlashCatalogue {
  readonly groups: readonly SlashGroup[]
  readonly byName: ReadonlyMap<string, SlashCommand>
}

export interface SlashCommand {
  readonly name: string
  /** What may follow the name: `<required>`, `[optional]`. */
  readonly usage: string
  readonly help: string
  readonly run: (call: SlashCall) => SlashStep
}

export interface SlashGroup {
  readonly title: string
  readonly commands: readonly SlashCommand[]
}

/** `action` is one short word in snake_case; `output` is for people. */
export type SlashAnswer =
  | { readonly kind: "done"; readonly action: string; readonly output?: string | undefined }
  | { readonly kind: "failed"; readonly error: string; readonly blocked?: boolean }

export type SlashStep =
  | SlashAnswer
  /** First the commands, in this order, then the words to the model, then what is left to do; a refusal ends it. */
  | {
      readonly kind: "send"
      readonly commands: readonly SessionCommand[]
      readonly prompt?: string | undefined
      readonly answer: SlashStep
    }
  /** One command to each of these sessions. */
  | {
      readonly kind: "tell"
      readonly sessionIds: readonly SessionId[]
      readonly command: SessionCommand
      readonly answer: SlashAnswer
    }
  | {
      readonly kind: "ask"
      readonly query: HouseQuery
      readonly next: (value: JsonValue) => SlashStep
      /** Where the refusal's own sentence would not do. */
      readonly refused?: (refusal: Refusal) => SlashAnswer
    }
  /** The session is to end as when its viewer says `exit`. */
  | { readonly kind: "exit"; readonly answer: SlashAnswer }

export function done(action: string, output?: string): SlashAnswer {
  return output === undefined ? { kind: "done", action } : { kind: "done", action, output }
}

export function failed(error: string): SlashAnswer {
  return { kind: "failed", error }
}

export function send(commands: readonly SessionCommand[], answer: SlashStep): SlashStep {
  return { kind: "send", commands, answer }
}

/** Words for the model: they start a turn, or wait for one. */
export function prompt(text: string): SlashStep {
  return { kind: "send", commands: [], prompt: text, answer: done("message_added", text) }
}
