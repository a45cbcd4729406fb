// Opens sessions wherever they are: in this process, in another one through its control socket, or on another node over the
// bus. A session without an owner is opened in the home host or, if this node cannot run it, on a node that can.
import {
  type Answered,
  type HostPort,
  type OpenedHandle,
  type SessionHandle,
  sessionOfQuery,
} from "../contract/host-port.ts"
import type { SessionId } from "../contract/ids.ts"
import { delay } from "../clients/base/abort.ts"
import type { HostCommandResults, HostCommands, HostCommandType } from "../contract/host-commands.ts"
import type { Answers, Queries, QueryType } from "../contract/queries.ts"
import type { SessionOptions, ShellEnvironment } from "../contract/session-options.ts"
import type { Who } from "../contract/values.ts"
import type { EventLog, LiveHost, NodeIdentity, SessionRow } from "../log/event-log.ts"
import { gone, LinkedHandle, openWithRetries, type LinkChange, type Relink } from "../clients/base/linked-handle.ts"
import { takesSessions } from "./queries/nodes.ts"
import { LogHandle, type UnreachableOwner } from "./log-handle.ts"

export interface LinksOptions {
  /** The directory of the home: it knows the owners. */
  readonly log: EventLog
  /** The host of this process, if it is one. */
  readonly hostId?: string
  /** In a cluster: this node. */
  readonly node?: NodeIdentity | undefined
  /** Where sessions without an owner are opened and new ones created: this process or another host. */
  readonly home: () => Promise<HostPort>
  /** Connects to another host; undefined when it does not listen. */
  readonly connect: (hostId: string) => Promise<HostPort | undefined>
  /** The owner of a watched session is gone, or the next one is found. */
  readonly onChange?: (sessionId: SessionId, state: LinkChange) => void
}

/** How often the owner is checked while its answer is awaited. */
const OWNER_CHECK_MS = 500

export class Links implements HostPort {
  readonly #options: LinksOptions
  readonly #closing = new AbortController()

  constructor(options: LinksOptions) {
    this.#options = options
  }

  /** Ends all watches. */
  close(): void {
    this.#closing.abort()
  }

  async open(sessionId: SessionId, caller: Who, env?: ShellEnvironment): Promise<OpenedHandle> {
    const opened = await openWithRetries(() => this.#openAtOwner(sessionId, caller, env), this.#closing.signal)
    return opened.kind === "refused" ? opened : this.#linked(opened.handle, caller, env)
  }

  async create(options: SessionOptions, caller: Who, env?: ShellEnvironment): Promise<OpenedHandle> {
    const home = await this.#options.home()
    const created = await home.create(options, caller, env)
    return created.kind === "refused" ? created : this.#linked(created.handle, caller, env)
  }

  async query<Type extends QueryType>(
    query: Queries[Type] & { readonly type: Type },
  ): Promise<Answered<Answers[Type]>> {
    const sessionId = sessionOfQuery(query)
    if (sessionId === undefined) return (await this.#options.home()).query(query)
    const ask = () => this.#askOwner(sessionId, (port) => port.query(query))
    const answered = await ask()
    return answered === gone ? ask() : answered
  }

  async perform<Type extends HostCommandType>(
    command: HostCommands[Type] & { readonly type: Type },
  ): Promise<Answered<HostCommandResults[Type]>> {
    return this.#askOwner(command.sessionId, (port) => port.perform(command))
  }

  async #linked(handle: SessionHandle, caller: Who, env?: ShellEnvironment): Promise<OpenedHandle> {
    const { sessionId } = handle
    const relink: Relink = {
      open: () => this.#openAtOwner(sessionId, caller, env),
      owner: () => this.#ownerOf(sessionId),
      ownHostId: this.#options.hostId,
      closed: this.#closing.signal,
      changed: (state) => this.#options.onChange?.(sessionId, state),
    }
    return { kind: "opened", handle: new LinkedHandle(handle, await relink.owner(), relink) }
  }

  async #openAtOwner(sessionId: SessionId, caller: Who, env?: ShellEnvironment): Promise<OpenedHandle> {
    const unreachable = await this.#unreachableOwner(sessionId)
    if (unreachable !== undefined) return { kind: "opened", handle: new LogHandle(sessionId, unreachable) }
    const opened = await this.#askOwner(sessionId, (port) => port.open(sessionId, caller, env))
    const isBetweenHosts =
      opened.kind === "refused" && opened.refusal.code === "session.unknown" && (await this.#exists(sessionId))
    return isBetweenHosts ? gone : opened
  }

  /** A host that is frozen, or cut off from the log, may not answer: the request waits until another host has the session. */
  async #askOwner<Answer>(
    sessionId: SessionId,
    ask: (port: HostPort) => Promise<Answer>,
  ): Promise<Answer | typeof gone> {
    const row = await this.#find(sessionId)
    const owner = row?.owner?.hostId
    const answer = ask(await this.#portOf(row))
    if (owner === undefined || owner === this.#options.hostId) return answer
    const answered = new AbortController()
    const isOver = AbortSignal.any([answered.signal, this.#closing.signal])
    try {
      return await Promise.race([answer, this.#ownerChange(sessionId, owner, isOver)])
    } finally {
      answered.abort()
    }
  }

  async #ownerChange(sessionId: SessionId, owner: string, isOver: AbortSignal): Promise<typeof gone> {
    while (!isOver.aborted) {
      await delay(OWNER_CHECK_MS, isOver)
      const row = isOver.aborted ? undefined : await this.#find(sessionId)
      if (row !== undefined && row.owner?.hostId !== owner) break
    }
    return gone
  }

  async #exists(sessionId: SessionId): Promise<boolean> {
    return (await this.#options.log.find(sessionId)).kind === "ok"
  }

  async #ownerOf(sessionId: SessionId): Promise<string | undefined> {
    return (await this.#find(sessionId))?.owner?.hostId
  }

  async #find(sessionId: SessionId): Promise<SessionRow | undefined> {
    const row = await this.#options.log.find(sessionId)
    return row.kind === "ok" ? row.value : undefined
  }

  async #portOf(row: SessionRow | undefined): Promise<HostPort> {
    const { hostId, home, connect } = this.#options
    const owner = row?.owner?.hostId
    if (owner === undefined) return (await this.#portAt(row?.place)) ?? home()
    if (owner === hostId) return home()
    return (await connect(owner)) ?? home() // the home host names the owner, if it is alive
  }

  /** A host on another node that can run sessions of this place; undefined if this node can, or if none is reached. */
  async #portAt(place: string | undefined): Promise<HostPort | undefined> {
    const { node, log, connect } = this.#options
    if (place === undefined || node === undefined || node.labels.includes(place)) return undefined
    const hosts = await log.hosts()
    const able = hosts.kind === "refused" ? [] : hosts.value.filter((host) => isAble(host, place))
    for (const { hostId } of able) {
      const port = await connect(hostId)
      if (port !== undefined) return port
    }
    return undefined
  }

  /** The owner, if it is alive on another node and does not answer. */
  async #unreachableOwner(sessionId: SessionId): Promise<UnreachableOwner | undefined> {
    const { node, log, connect } = this.#options
    if (node === undefined) return undefined
    const owner = (await this.#find(sessionId))?.owner
    if (owner?.node === undefined || owner.node.name === node.name) return undefined
    const isReachable = async () => (await connect(owner.hostId)) !== undefined
    return (await isReachable()) ? undefined : { log, owner, isReachable }
  }
}

function isAble({ role, node }: LiveHost, place: string): boolean {
  return takesSessions(role) && node?.labels.includes(place) === true
}
