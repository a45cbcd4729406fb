// What a program may say about the agent it wants to see, and what holds when it says nothing.
import type { ViewerEvent } from "./viewer-event.ts"

/** The path of a socket, or an agent of a folder by its id. */
export type Place = string | { readonly folder: string; readonly id: string }

export interface AttachOptions {
  /** `new` asks nobody for a token and is given it, `reattach` shows it. Default: `reattach` when there is one. */
  readonly handshake?: "new" | "reattach"
  /** Default: what stands in the file beside the socket. */
  readonly token?: string | undefined
  /** Seals what is sent with a key made from the token; the agent answers in kind. Not every agent can. */
  readonly encrypted?: boolean
  /** Milliseconds until the agent must have taken this viewer and shown its conversation. Default 15,000. */
  readonly timeoutMs?: number
  /** Gives up attaching. Later it has no effect. */
  readonly signal?: AbortSignal | undefined
  /** Comes back when the connection is lost. Without this a lost connection stays lost. */
  readonly reconnect?: boolean | ReconnectOptions
  /** Every event from the very first on, before `attach` resolves. */
  readonly onEvent?: (event: ViewerEvent) => void
}

export interface ReconnectOptions {
  /** How often in a row before it gives up. Default 10. */
  readonly attempts?: number
  /** Milliseconds before the first attempt; each further one waits twice as long. Default 100. */
  readonly firstDelayMs?: number
  /** Default 10,000. */
  readonly mostDelayMs?: number
}

export interface AskOptions {
  /** Milliseconds; 0 waits for ever. Default 30,000. */
  readonly timeoutMs?: number | undefined
  /** The promise is rejected with its reason; a late answer is ignored. */
  readonly signal?: AbortSignal | undefined
}

export interface SayOptions {
  /** Files for the agent to read, as it names them: relative to its own folder, or absolute. */
  readonly files?: readonly string[]
  /** Cancels the turn, or rather whatever runs when it is aborted. */
  readonly signal?: AbortSignal | undefined
}

export interface SpawnOptions extends AskOptions {
  readonly model?: string | undefined
  readonly reason?: string | undefined
  readonly workingDirectory?: string | undefined
}

export const defaultTimeoutMs = 15_000
export const defaultAskMs = 30_000
/** For what is said on the way out. */
export const leaveMs = 5000

export const defaultReconnect: Required<ReconnectOptions> = { attempts: 10, firstDelayMs: 100, mostDelayMs: 10_000 }
