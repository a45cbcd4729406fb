// Options of a viewer and their defaults.
import type { WaitOptions } from "../base/pending-requests.ts"
import type { ViewerEvent } from "./viewer-events.ts"

/** The path of a socket, or the id of an agent in a folder. */
export type Place = string | { readonly folder: string; readonly id: string }

export interface AttachOptions {
  /** `reattach` shows a token, `new` gets one from the agent. Default: `reattach` if there is a token. */
  readonly handshake?: "new" | "reattach"
  /** Default: the content of the file beside the socket. */
  readonly token?: string | undefined
  /** Encrypts messages with a key derived from the token, in both directions. Not every agent supports it. */
  readonly encrypted?: boolean
  /** Milliseconds until the agent must have accepted the viewer and sent the conversation. Default 15,000. */
  readonly timeoutMs?: number
  /** Aborts attaching. No effect later. */
  readonly signal?: AbortSignal | undefined
  /** Reconnects when the connection is lost. Default: false. */
  readonly reconnect?: boolean | ReconnectOptions
  /** Receives every event, also those before `attach` resolves. */
  readonly onEvent?: (event: ViewerEvent) => void
}

export interface ReconnectOptions {
  /** In a row. Default 10. */
  readonly attempts?: number
  /** Milliseconds before the first attempt; doubles with each one. Half of it is random. Default 100. */
  readonly firstDelayMs?: number
  /** Default 10,000. */
  readonly mostDelayMs?: number
}

/** Default of `timeoutMs`: 30,000. */
export type AskOptions = WaitOptions

export interface SayOptions {
  /** Files for the agent: absolute, or relative to the agent's folder. */
  readonly files?: readonly string[]
  /** Cancels whatever turn runs when it is aborted. */
  readonly signal?: AbortSignal | undefined
}

export interface SpawnOptions extends AskOptions {
  readonly model?: string | undefined
  readonly reason?: string | undefined
  readonly workingDirectory?: string | undefined
}

export const defaultTimeoutMs = 15_000
export const defaultAskMs = 30_000
/** For the last message before the viewer closes. */
export const leaveMs = 5000

export const defaultReconnect: Required<ReconnectOptions> = { attempts: 10, firstDelayMs: 100, mostDelayMs: 10_000 }
