// Another agent, beside Turnhouse: where it comes from, and how it is started in its fastest documented headless mode.
import type { Client } from "../doors/clients/client.ts"
import type { RunningProcess } from "../doors/running-process.ts"
import type { World } from "../doors/world.ts"

export interface Peer {
  readonly name: string
  /** What fails of others is printed, and no error of the benchmark. */
  readonly isOurs?: true
  /** How it is driven, for the table of versions. */
  readonly mode: string
  /** Calls of its tools, as the provider is asked for them; without `read` it has no such tool. */
  readonly tools: { readonly read?: string; readonly bash: string }
  /** Returns its version. */
  install(world: World): Promise<string>
  start(world: World): Promise<RunningPeer>
}

export interface RunningPeer {
  readonly process: RunningProcess
  /** A new conversation. */
  connect(): Promise<Client>
  stop(): Promise<void>
}
