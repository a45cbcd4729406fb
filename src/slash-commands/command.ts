// What a slash command is, and what it resolves to: an answer, or a step that needs the client's port first.
import type { SessionCommand } from "../contract/commands.ts"
import type { HostPort, SendOutcome } from "../contract/host-port.ts"
import type { ApprovalId, SessionId } from "../contract/ids.ts"
import type { JsonValue, Question, ServerAsk } from "../contract/values.ts"
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
  /** Set where an answer to these is wanted. */
  readonly questions?: readonly Question[] | undefined
  /** Set where an MCP server of a running call asks. */
  readonly server?: ServerAsk | undefined
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
  /** What may follow the name: `<required>`, `[optional]`. Absent: nothing. */
  readonly usage?: string | undefined
  /** Empty for a command that cannot be used: running it says why. */
  readonly help: string
  /** More arguments than this are answered with the usage. Absent: any number. */
  readonly maxArgs?: number
  readonly run: (call: SlashCall) => SlashStep
}

/** `action` is a short name in snake_case for programs; `output` is for people. */
export type SlashAnswer =
  | { readonly kind: "done"; readonly action: string; readonly output?: string | undefined }
  | { readonly kind: "failed"; readonly error: string; readonly blocked?: boolean }

/** Where a command ends. `exit`: the client ends the session, as for the frame `exit`. */
export type SlashEnd = SlashAnswer | { readonly kind: "exit"; readonly answer: SlashAnswer }

export type SlashStep = SlashEnd | { readonly kind: "step"; readonly run: (port: SlashPort) => Promise<SlashStep> }

/** What a command may do, in the name of the client that typed it. */
export interface SlashPort extends Pick<HostPort, "query" | "perform"> {
  /** To the session in which the command was typed. */
  send(command: SessionCommand): Promise<SendOutcome>
  prompt(text: string): Promise<SendOutcome>
  sendTo(sessionId: SessionId, command: SessionCommand): Promise<SendOutcome>
}
