// Options of a session and their defaults.
import type { WaitOptions } from "../base/pending-requests.ts"
import type { WebSocketClass } from "./connection/text-socket.ts"
import type { Confirmation } from "./turns/turn-events.ts"

export interface ConnectOptions {
  /** The agent that answers. */
  readonly agentId: string
  readonly userName?: string | undefined
  readonly userEmail?: string | undefined
  /** Cards that this client can show: `identity_form`, `choice_chips`. The agent asks for the others as text. */
  readonly supports?: readonly string[] | undefined
  /** The conversation to resume. If it does not exist, a new one is started and `isResumed` is false. */
  readonly conversationId?: string | undefined
  /** Sent in the address; a function is called for every connection. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>) | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** The signature of a web site that vouches for its user; a function is called for every connection. */
  readonly authContext?: AuthContext | (() => AuthContext | undefined | Promise<AuthContext | undefined>) | undefined
  /** Default: the global one. */
  readonly WebSocket?: WebSocketClass | undefined
  /** `false`: do not reconnect. */
  readonly reconnect?: Partial<Reconnect> | false | undefined
  /** Whether a message is sent again when its arrival is not known. Default: `when-certain`. */
  readonly resend?: Resend | undefined
  readonly timeouts?: Partial<Timeouts> | undefined
  readonly limits?: Partial<Limits> | undefined
  /** Aborts `connect`, and later closes the session. */
  readonly signal?: AbortSignal | undefined
}

/** Made by the site's own server, and valid for a minute. */
export interface AuthContext {
  readonly userId: string
  /** Seconds or milliseconds since 1970. */
  readonly timestamp: number
  /** HMAC-SHA256 of `userId:timestamp` in hex. */
  readonly signature: string
}

/**
 * `when-certain`: a message is sent again only if the server certainly does not have it. Safe with every server.
 * `always`: it is sent again with the same id. Only for servers that store a repeated message once, as Turnhouse does.
 */
export type Resend = "when-certain" | "always"

export interface Reconnect {
  /** In a row; a stable connection or a completed turn resets the count. */
  readonly attempts: number
  /** Wait before the first attempt; doubles up to `maxMs`. Half of it is random. */
  readonly firstMs: number
  readonly maxMs: number
  /** A connection is stable after this time. */
  readonly stableMs: number
  /** Whether not to reconnect after this close code. */
  readonly isFinal: (code: number) => boolean
}

/** Milliseconds. */
export interface Timeouts {
  readonly connectMs: number
  readonly requestMs: number
  /** From `cancel` to the end of the turn. */
  readonly cancelMs: number
  readonly closeMs: number
  /** Wait before a message that is not among the stored ones is looked for a second time. */
  readonly settleMs: number
  /** After this silence the server is pinged, and dropped after as long again; 0 never pings. */
  readonly heartbeatMs: number
}

export interface Limits {
  /** Unread events of a turn; consecutive text counts as one. */
  readonly waitingEvents: number
  /** Characters of a turn. */
  readonly turnLength: number
  /** Bytes in the send buffer. */
  readonly waitingBytes: number
}

export type RequestOptions = WaitOptions

export interface ConfirmOptions extends RequestOptions {
  /** The card that the user answered. Default: the one that is pending when `confirm` is called. */
  readonly card?: Confirmation | undefined
}

export interface PageOptions extends RequestOptions {
  /** Messages per page; servers use 50 by default and 100 at most. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
}

export interface SendOptions {
  readonly model?: string | undefined
  readonly skill?: string | undefined
  /** For the model, as `data:` or `https:` URLs. */
  readonly images?: readonly SentImage[] | undefined
  /** For tools, never for the model. */
  readonly files?: readonly SentFile[] | undefined
  /** Cancels the turn. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until the turn is cancelled. Default: no limit. */
  readonly timeoutMs?: number | undefined
}

export interface SentImage {
  readonly url: string
  readonly detail?: "low" | "high" | "auto"
}

export interface SentFile {
  readonly name: string
  readonly url: string
  readonly mimeType?: string
}

/** Protocol and policy errors: reconnecting would fail again. */
const finalCodes: ReadonlySet<number> = new Set([1002, 1003, 1007, 1008, 1010])

export const defaultReconnect: Reconnect = {
  attempts: 10,
  firstMs: 500,
  maxMs: 15_000,
  stableMs: 10_000,
  isFinal: (code) => finalCodes.has(code),
}

export const defaultTimeouts: Timeouts = {
  connectMs: 15_000,
  requestMs: 30_000,
  cancelMs: 10_000,
  closeMs: 2000,
  settleMs: 1000,
  heartbeatMs: 30_000,
}

export const defaultLimits: Limits = {
  waitingEvents: 10_000,
  turnLength: 16 * 1024 * 1024,
  waitingBytes: 64 * 1024 * 1024,
}
