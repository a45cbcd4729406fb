// The host port over the sessions of this process. A watcher that joins gets stored events page by page until it has
// caught up, then is subscribed and gets the text so far, in one synchronous step.
import type { Answered, HostPort, OpenedHandle, SendOutcome, SessionHandle, Watcher } from "../contract/host-port.ts"
import type { SessionCommand } from "../contract/commands.ts"
import type { SessionId } from "../contract/ids.ts"
import type { HostCommandResults, HostCommands, HostCommandType } from "../contract/host-commands.ts"
import type { Answers, Queries, QueryType } from "../contract/queries.ts"
import type { SessionOptions, ShellEnvironment } from "../contract/session-options.ts"
import type { Who } from "../contract/values.ts"
import type { Outcome } from "../log/event-log.ts"
import type { Opened } from "../runner/open-session.ts"
import type { SessionActor } from "../runner/session-actor.ts"
import { hibernateTree } from "./hibernation.ts"
import type { SessionHost } from "./session-host.ts"
import type { NewSession } from "./open-sessions.ts"
import { answer, perform, type HostFacts } from "./queries/answer.ts"
import { answerInTree } from "./children/open-tree.ts"
import type { Setting } from "../runner/session-context.ts"
import { findCall } from "../session/state.ts"

const pageSize = 500

export interface LocalPortOptions extends HostFacts {
  /** Whether a session without an owner is opened here. */
  readonly opensClosed: boolean
  /** Completes a client's request for a new session from the configuration. */
  configureSession(options: SessionOptions): Promise<Outcome<ConfiguredSession>>
}

export interface ConfiguredSession {
  readonly session: NewSession
  /** Known already; otherwise the host loads it. */
  readonly setting?: Setting
}

export class LocalPort implements HostPort {
  readonly #host: SessionHost
  readonly #options: LocalPortOptions

  constructor(host: SessionHost, options: LocalPortOptions) {
    this.#host = host
    this.#options = options
  }

  async open(sessionId: SessionId, caller: Who, env?: ShellEnvironment): Promise<OpenedHandle> {
    const opened = this.#options.opensClosed ? this.#host.open(sessionId) : this.#host.opened(sessionId)
    return this.#handle(await opened, caller, env)
  }

  async create(options: SessionOptions, caller: Who, env?: ShellEnvironment): Promise<OpenedHandle> {
    const configured = await this.#options.configureSession(options)
    if (configured.kind === "refused") return configured
    const { session, setting } = configured.value
    return this.#handle(await this.#host.create(session, setting), caller, env)
  }

  query<Type extends QueryType>(query: Queries[Type] & { readonly type: Type }): Promise<Answered<Answers[Type]>> {
    return answer(this.#host, this.#options, query)
  }

  perform<Type extends HostCommandType>(
    command: HostCommands[Type] & { readonly type: Type },
  ): Promise<Answered<HostCommandResults[Type]>> {
    return perform(this.#host, this.#options, command)
  }

  #handle(opened: Opened, caller: Who, env: ShellEnvironment | undefined): OpenedHandle {
    if (opened.kind === "refused") return opened
    if (env !== undefined) opened.session.shell = env
    return { kind: "opened", handle: new LocalHandle(this.#host, opened.session, caller) }
  }
}

class LocalHandle implements SessionHandle {
  readonly sessionId: SessionId
  readonly #host: SessionHost
  readonly #session: SessionActor
  readonly #caller: Who

  constructor(host: SessionHost, session: SessionActor, caller: Who) {
    this.sessionId = session.id
    this.#host = host
    this.#session = session
    this.#caller = caller
  }

  /** Commands that concern the whole tree are handled by the host. */
  send(command: SessionCommand): Promise<SendOutcome> {
    if (command.type === "approve") return answerInTree(this.#host, this.#session, command, this.#caller)
    if (command.type === "hibernate") return hibernateTree(this.#host, this.#session, this.#caller)
    return this.#session.send(command, this.#caller)
  }

  async watch(cursor: number, watcher: Watcher, signal?: AbortSignal): Promise<() => void> {
    const { log } = this.#session.services
    let seen = cursor
    const hasMore = () => seen < this.#session.state.seq && signal?.aborted !== true
    while (hasMore()) {
      const page = await log.read(this.sessionId, seen, pageSize)
      if (page.kind === "refused") {
        watcher({ kind: "lost", refusal: page.refusal })
        return () => {}
      }
      // Events that are stored but not yet published come live, together with the end of the streamed text.
      const shown = page.value.filter(({ seq }) => seq <= this.#session.state.seq)
      for (const recorded of shown) watcher({ kind: "event", recorded })
      seen = shown.at(-1)?.seq ?? this.#session.state.seq
    }
    return signal?.aborted === true ? () => {} : this.#join(seen, watcher)
  }

  /** Events that were appended but not yet published while reading are in the log; they are delivered once. */
  #join(seen: number, watcher: Watcher): () => void {
    const { streaming, liveOutputs, state } = this.#session
    const blocks = seen > state.seq ? [] : (streaming?.streamed() ?? []) // a cursor ahead of the state has the end of the text
    if (streaming !== undefined && blocks.length > 0) watcher({ kind: "streamed", stepId: streaming.stepId, blocks })
    for (const [callId, { soFar }] of seen > state.seq ? [] : liveOutputs)
      if (soFar !== undefined && findCall(state, callId)?.phase === "started")
        watcher({ kind: "delta", delta: { type: "tool.progressed", callId, ...soFar } })
    const onItem: Watcher = (item) => {
      if (item.kind !== "event" || item.recorded.seq > seen) watcher(item)
    }
    const { principal, door } = this.#caller
    return this.#session.watch(onItem, { principal, door })
  }
}
