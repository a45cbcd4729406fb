// The port through which doors reach sessions. A door never knows whether a session runs in its own process or in
// another one.
import type { SessionCommand } from "./commands.ts"
import type { SessionDelta } from "./deltas.ts"
import type { Recorded } from "./events.ts"
import type { HostCommandResults, HostCommands, HostCommandType } from "./host-commands.ts"
import type { SessionId, StepId } from "./ids.ts"
import type { Answers, Queries, QueryType } from "./queries.ts"
import type { Refusal } from "./refusals.ts"
import type { SessionOptions, ShellEnvironment } from "./session-options.ts"
import type { StreamedBlock, Who } from "./values.ts"

export interface Refused {
  readonly kind: "refused"
  readonly refusal: Refusal
}

export type SendOutcome = { readonly kind: "accepted"; readonly seq: number } | Refused

/** What a watcher gets, in order. `lost` is the last: another host has the session, or it was closed. */
export type WatchItem =
  | { readonly kind: "event"; readonly recorded: Recorded }
  | { readonly kind: "delta"; readonly delta: SessionDelta }
  /** The text of the open step when the watcher joined; the deltas that follow continue it. */
  | { readonly kind: "streamed"; readonly stepId: StepId; readonly blocks: readonly StreamedBlock[] }
  | { readonly kind: "lost"; readonly refusal: Refusal }

export type Watcher = (item: WatchItem) => void

export interface SessionHandle {
  readonly sessionId: SessionId
  send(command: SessionCommand): Promise<SendOutcome>
  /**
   * Everything after the cursor, first from the log, then live, without a gap or a repeat. Resolves when live, with a
   * function that ends the watch. The signal ends it before that: nothing more is read.
   */
  watch(cursor: number, watcher: Watcher, signal?: AbortSignal): Promise<() => void>
}

export type OpenedHandle = { readonly kind: "opened"; readonly handle: SessionHandle } | Refused

export type Answered<Value> = { readonly kind: "answer"; readonly value: Value } | Refused

export interface HostPort {
  open(sessionId: SessionId, by: Who, env?: ShellEnvironment): Promise<OpenedHandle>
  create(options: SessionOptions, by: Who, env?: ShellEnvironment): Promise<OpenedHandle>
  query<Type extends QueryType>(query: Queries[Type] & { readonly type: Type }): Promise<Answered<Answers[Type]>>
  perform<Type extends HostCommandType>(
    command: HostCommands[Type] & { readonly type: Type },
  ): Promise<Answered<HostCommandResults[Type]>>
}

/** The session that a query is about; undefined for a query about the host or all sessions. */
export function sessionOfQuery(query: { readonly type: QueryType }): SessionId | undefined {
  return "sessionId" in query && typeof query.sessionId === "string" ? query.sessionId : undefined
}
