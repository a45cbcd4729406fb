// What a slash command is, and the steps it resolves to. Steps are data, which `run.ts` carries out for the client that
// typed the command, so every command can be tested without a session.
import type { SessionCommand } from "../contract/commands.ts"
import type { ApprovalId, SessionId } from "../contract/ids.ts"
import { describeRefusal } from "../contract/describe-refusal.ts"
import type { HostCommandResults, HostCommands, HostCommandType } from "../contract/host-commands.ts"
import type { HostPort } from "../contract/host-port.ts"
import type { Answers, Queries, QueryType } from "../contract/queries.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { JsonValue } from "../contract/values.ts"
import type { SessionSnapshot } from "../contract/views/session-snapshot.ts"

/** The session as the client that typed the command sees it. */
export interface SlashView extends Pick<SessionSnapshot, "status" | "toolMode" | "tasks"> {
  readonly sessionId: SessionId
  /** Pending approvals, oldest first. */
  readonly requests: readonly SlashRequest[]
  /** When an approval was last answered, if known. */
  readonly answeredAt?: number | undefined
}

export interface SlashRequest {
  readonly approvalId: ApprovalId
  /** The session that waits for it: this one or a descendant. */
  readonly sessionId: SessionId
  readonly tool: string
  readonly input: JsonValue
  readonly reason: string
  readonly digest?: string | undefined
}

export interface SlashOptions {
  /** Names of commands that are refused, in any letter case. */
  readonly blocked: readonly string[]
  readonly newSessionId: () => SessionId
  readonly now: () => number
  /** Where the command was typed, for errors: "Not available over IPC". */
  readonly place?: string | undefined
  /** Commands that the client handles itself; they are left out of the help. */
  readonly clientCommands?: readonly string[] | undefined
}

export interface SlashCall {
  readonly name: string
  readonly args: readonly string[]
  readonly view: SlashView
  readonly options: SlashOptions
  readonly catalogue: SlashCatalogue
}

export interface SlashCatalogue {
  /** As the help shows them. */
  readonly groups: readonly SlashGroup[]
  /** All of them, also those that are not in the help. */
  readonly byName: ReadonlyMap<string, SlashCommand>
}

export interface SlashGroup {
  readonly title: string
  readonly commands: readonly SlashCommand[]
}

export interface SlashCommand {
  readonly name: string
  /** What may follow the name: `<required>`, `[optional]`. */
  readonly usage: string
  /** Empty for a command that cannot be used: running it says why. */
  readonly help: string
  /** More arguments than this are answered with the usage. Absent: any number. */
  readonly maxArgs?: number
  readonly run: (call: SlashCall) => SlashStep
}

export type AskPort = Pick<HostPort, "query" | "perform">

/** `action` is a short name in snake_case for programs; `output` is for people. */
export type SlashAnswer =
  | { readonly kind: "done"; readonly action: string; readonly output?: string | undefined }
  | { readonly kind: "failed"; readonly error: string; readonly blocked?: boolean }

export type SlashStep =
  | SlashAnswer
  /** Send the commands, then the prompt, then continue with `next`. The first refusal ends it. */
  | {
      readonly kind: "send"
      readonly commands: readonly SessionCommand[]
      readonly prompt?: string | undefined
      readonly next: SlashStep
    }
  /** Send one command to each of these sessions. */
  | {
      readonly kind: "send-to"
      readonly sessionIds: readonly SessionId[]
      readonly command: SessionCommand
      readonly next: SlashStep
    }
  /** Ask the host, then continue with the step that follows from its answer. */
  | { readonly kind: "ask"; readonly ask: (port: AskPort) => Promise<SlashStep> }
  /** End the session, as the frame `exit` does. */
  | { readonly kind: "exit"; readonly answer: SlashAnswer }

export function query<Type extends QueryType>(
  question: Queries[Type] & { readonly type: Type },
  next: (answer: Answers[Type]) => SlashStep,
  onRefusal: (refusal: Refusal) => SlashStep = refusalStep,
): SlashStep {
  return {
    kind: "ask",
    ask: async (port) => {
      const answered = await port.query(question)
      return answered.kind === "refused" ? onRefusal(answered.refusal) : next(answered.value)
    },
  }
}

export function perform<Type extends HostCommandType>(
  command: HostCommands[Type] & { readonly type: Type },
  next: (result: HostCommandResults[Type]) => SlashStep,
  onRefusal: (refusal: Refusal) => SlashStep = refusalStep,
): SlashStep {
  return {
    kind: "ask",
    ask: async (port) => {
      const answered = await port.perform(command)
      return answered.kind === "refused" ? onRefusal(answered.refusal) : next(answered.value)
    },
  }
}

/** The session as it is now. */
export function querySnapshot(
  { view: { sessionId } }: SlashCall,
  next: (snapshot: SessionSnapshot) => SlashStep,
  { turns = 1, onRefusal = refusalStep }: { turns?: number; onRefusal?: (refusal: Refusal) => SlashStep } = {},
): SlashStep {
  return query({ type: "scene", sessionId, turns }, next, onRefusal)
}

function refusalStep(refusal: Refusal): SlashStep {
  return failed(describeRefusal(refusal))
}

export function done(action: string, output?: string): SlashAnswer {
  return { kind: "done", action, output }
}

export function failed(error: string): SlashAnswer {
  return { kind: "failed", error }
}

export function send(command: SessionCommand, next: SlashStep): SlashStep {
  return { kind: "send", commands: [command], next }
}

/** Sends a prompt, which starts a turn or is queued. */
export function prompt(text: string): SlashStep {
  return { kind: "send", commands: [], prompt: text, next: done("message_added", text) }
}

/** Answers with a list, or with `none` where it is empty. */
export function list(action: string, lines: readonly string[], none: string): SlashAnswer {
  return done(action, lines.length === 0 ? none : lines.join("\n"))
}
