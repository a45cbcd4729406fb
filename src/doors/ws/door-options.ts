// What the WebSocket API needs from the server that opens it, and what its connections share.
import type { HostPort } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { SessionOptions } from "../../contract/session-options.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { ActionName } from "../../protocols/ws/action-names.ts"
import type { WsError } from "../../protocols/ws/errors.ts"
import type { ErrorCode } from "../../protocols/ws/frames.ts"
import type { WsLimits } from "../../protocols/ws/limits.ts"
import type { Caller, Scope } from "./conversation-access.ts"
import type { Conversations } from "./conversation.ts"
import type { SentMessages } from "./sent-messages.ts"

/** One action for the access log. It has no content of messages. */
export interface ActionRecord {
  readonly connection: string
  readonly principal: string
  readonly action: ActionName
  readonly requestId: string | undefined
  readonly outcome: ErrorCode | "ok"
  readonly ms: number
}

/** A caller who asks for a session with an agent. */
export interface SessionRequest {
  readonly agentId: string
  readonly caller: Caller
  readonly authContext: JsonValue | undefined
}

/** As which principal the caller uses the agent, and to whom a new conversation belongs. */
export interface Admission {
  readonly principal: string
  readonly scope: Scope
}

export interface WsTurns {
  /** `full`: the organisation has no turn left. Otherwise the result is called when the message is stored or refused. */
  admit(org: string, sessionId: SessionId, waitsForTurn: boolean): (() => void) | "full"
}

export interface WsAllowances {
  /** False when the allowance is used up. */
  takeFrame(account: string): boolean
  /** `unavailable`: it cannot be counted now, because the database of the cluster cannot be reached. */
  takeSession(account: string, org: string | undefined): Promise<"taken" | "used-up" | "unavailable">
  /** Absent without a limit of turns per organisation. */
  readonly turns?: WsTurns | undefined
}

export interface WsDoorOptions {
  readonly port: HostPort
  /** Folder and configuration of every new conversation. */
  readonly place: Pick<SessionOptions, "cwd" | "configuration">
  /** The agent's name for visitors. */
  readonly agentName: (agentId: string) => string
  /** Whether the agent exists. One that was removed from the configuration accepts no more messages. */
  readonly isAgent: (agentId: string) => boolean
  /** Whether a visitor of this agent may run a turn on this model. */
  readonly mayChooseModel: (agentId: string, model: string) => Promise<boolean>
  /** Stored in place of an account, which may be an address. Must not be reversible. */
  readonly callerDigest: (account: string) => string
  readonly newId: () => string
  readonly newUuid: () => string
  readonly now: () => number
  readonly warn: (message: string) => void
  readonly record?: (record: ActionRecord) => void
  /** Default: every caller, as the principal it connected as. */
  readonly admit?: (request: SessionRequest) => Admission | WsError
  readonly allowances?: WsAllowances
  readonly limits?: Partial<WsLimits>
}

export interface WsDoorDeps extends Omit<WsDoorOptions, "limits"> {
  readonly limits: WsLimits
  readonly record: (record: ActionRecord) => void
  readonly admit: (request: SessionRequest) => Admission | WsError
  readonly conversations: Conversations
  readonly sent: SentMessages
  readonly counters: { framesOut: number }
  /** No new message or session is accepted any more. */
  readonly isDraining: () => boolean
}
