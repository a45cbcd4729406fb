// What a program may say about its session, and what holds when it says nothing.
import type { WebSocketClass } from "./text-socket.ts"
import type { Confirmation } from "./turn-events.ts"

export interface ConnectOptions {
  /** Which of the server's agents answers. */
  readonly agentId: string
  readonly userName?: string | undefined
  readonly userEmail?: string | undefined
  /** Cards that can be shown: `identity_form`, `choice_chips`. What is not named here is asked in words. */
  readonly supports?: readonly string[] | undefined
  /** A conversation to come back to. If it is not there the session has a new one, and `isResumed` is false. */
  readonly conversationId?: string | undefined
  /** Sent in the address; a function is asked anew for every connection. */
  readonly token?: string | (() => string | Promise<string>) | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** Default: the global one. */
  readonly WebSocket?: WebSocketClass | undefined
  /** `false`: a lost connection stays lost. */
  readonly reconnect?: Partial<Reconnect> | false | undefined
  /** What becomes of a message whose fate is not known after the connection was lost. Default: `when-certain`. */
  readonly resend?: Resend | undefined
  readonly timeouts?: Partial<Timeouts> | undefined
  readonly limits?: Partial<Limits> | undefined
  /** Calls `connect` off, and closes the session whenever it is aborted. */
  readonly signal?: AbortSignal | undefined
}

/**
 * `when-certain`: a message is sent again only if the server certainly does not have it; right for every server.
 * `always`: it is sent again under its id. Only for servers that store a message once however often it comes, as
 * Turnhouse does: they tell what became of it.
 */
export type Resend = "when-certain" | "always"

export interface Reconnect {
  /** In a row. A connection that lasted, or a turn that came to its end, makes the count begin again. */
  readonly attempts: number
  /** Before the first attempt; each further one waits twice as long, up to `maxMs`. A part of it is left to chance. */
  readonly firstMs: number
  readonly maxMs: number
  /** How long a connection must have lasted. */
  readonly stableMs: number
  /** Whether a socket that was closed with this code is not to be opened again. */
  readonly isFinal: (code: number) => boolean
}

/** Milliseconds. */
export interface Timeouts {
  readonly connectMs: number
  readonly requestMs: number
  /** From `cancel` to the end of the turn. */
  readonly cancelMs: number
  readonly closeMs: number
  /** A message without an answer that is not among the messages is looked for once more after this time. */
  readonly settleMs: number
  /** After so much silence the server is asked whether it is there, and given up after as much again; 0 never asks. */
  readonly heartbeatMs: number
}

export interface Limits {
  /** Events of a turn that wait to be taken; words that follow each other are one. */
  readonly waitingEvents: number
  /** Characters of a turn. */
  readonly turnLength: number
  /** Bytes that wait to be sent. */
  readonly waitingBytes: number
}

export interface RequestOptions {
  /** Milliseconds; 0 waits for ever. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface ConfirmOptions extends RequestOptions {
  /** The question that was read. Default: the one that is open when `confirm` is called. */
  readonly card?: Confirmation | undefined
}

export interface PageOptions extends RequestOptions {
  /** Rows of one page; servers give 50, and 100 at most. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
}

export interface SendOptions {
  readonly model?: string | undefined
  readonly skill?: string | undefined
  /** For the model: `data:` or `https:` addresses. */
  readonly images?: readonly SentImage[] | undefined
  /** For tools, never for the model. */
  readonly files?: readonly SentFile[] | undefined
  /** Cancels the turn. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until the turn is cancelled. Default: as long as it takes. */
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

/** Protocol errors and policies: the next socket would fare no better. */
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
