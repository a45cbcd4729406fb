// What a door gets: sessions, wherever they live. Doors are written against this and never know whether a session runs
// in their own process or in another one.
import type { SessionCommand } from "./commands.ts"
import type { SessionDelta } from "./deltas.ts"
import type { Recorded } from "./events.ts"
import type { SessionId, StepId } from "./ids.ts"
import type { HostQuery } from "./queries.ts"
import type { Refusal } from "./refusals.ts"
import type { SessionOptions, ShellEnvironment } from "./session-options.ts"
import type { JsonValue, StreamedBlock, Who } from "./values.ts"

export type SendOutcome =
  | { readonly kind: "accepted"; readonly seq: number }
  | { readonly kind: "refused"; readonly refusal: Refusal }

/** What a watcher is told, in order. `lost` is the last: the session is in other hands, or at rest. */
export type WatchItem =
  | { readonly kind: "event"; readonly recorded: Recorded }
  | { readonly kind: "delta"; readonly delta: SessionDelta }
  /** What the open step had said when the watcher joined; the deltas that follow belong to it. */
  | { readonly kind: "streamed"; readonly stepId: StepId; readonly blocks: readonly StreamedBlock[] }
  | { readonly kind: "lost"; readonly refusal: Refusal }

export type Watcher = (item: WatchItem) => void

export interface SessionHandle {
  readonly sessionId: SessionId
  send(command: SessionCommand): Promise<SendOutcome>
  /**
   * Everything after the cursor, first from the log, then live, without a gap or a repeat. Resolves when live, with the
   * way to leave. Whoever does not want to wait for that leaves by the signal: nothing more is read.
   */
  watch(cursor: number, watcher: Watcher, signal?: AbortSignal): Promise<() => void>
}

export type OpenedHandle =
  | { readonly kind: "opened"; readonly handle: SessionHandle }
  | { readonly kind: "refused"; readonly refusal: Refusal }

export type Answered =
  | { readonly kind: "answer"; readonly value: JsonValue }
  | { readonly kind: "refused"; readonly refusal: Refusal }

export interface HostPort {
  open(sessionId: SessionId, by: Who, env?: ShellEnvironment): Promise<OpenedHandle>
  create(wish: SessionOptions, by: Who, env?: ShellEnvironment): Promise<OpenedHandle>
  query(query: HostQuery): Promise<Answered>
}
