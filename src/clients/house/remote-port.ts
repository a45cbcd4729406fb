// The host of another machine as a port that survives the loss of its connection: it reconnects with growing pauses,
// watchers continue from their cursors, and a command without an answer is sent again with the same id.
import { delay } from "../base/abort.ts"
import { Reconnector } from "../base/reconnector.ts"
import type { HostCommandResults, HostCommands, HostCommandType } from "../../contract/host-commands.ts"
import type { Answered, HostPort, OpenedHandle, Refused, SessionHandle } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { Answers, Queries, QueryType } from "../../contract/queries.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { SessionOptions } from "../../contract/session-options.ts"
import { LinkedHandle, openWithRetries, type LinkChange } from "../base/linked-handle.ts"
import type { LineClient } from "./line-client.ts"

export interface RemotePortOptions {
  /** `user@box`, for messages. */
  readonly name: string
  readonly connect: (attempt: "first" | "again") => Promise<LineClient>
  readonly onChange: (sessionId: SessionId, state: LinkChange) => void
  /** Why it is not connected, before each further attempt. */
  readonly onProblem: (text: string) => void
  /** The refusal of the host that made `connect` throw. */
  readonly refusalOf: (fault: unknown) => Refusal | undefined
  /** Milliseconds between signs of life; a connection without an answer until the next one is dead. */
  readonly beatMs?: number
  /** How long a connection may take to answer when `hurry` asks. */
  readonly hurriedMs?: number
  readonly retry?: { readonly firstMs: number; readonly maxMs: number }
}

const BEAT_MS = 15_000
const HURRIED_MS = 4000
const RETRY = { firstMs: 500, maxMs: 15_000 }

export class RemotePort implements HostPort {
  readonly #options: RemotePortOptions
  readonly #closing = new AbortController()
  readonly #beat: ReturnType<typeof setInterval>
  #client: LineClient
  #isAlive = true
  #reconnecting: Promise<Refused | undefined> | undefined
  #reconnector: Reconnector | undefined

  /** Throws what keeps the first connection from being made. */
  static async connect(options: RemotePortOptions): Promise<RemotePort> {
    return new RemotePort(options, await options.connect("first"))
  }

  private constructor(options: RemotePortOptions, client: LineClient) {
    this.#options = options
    this.#client = client
    this.#follow(client)
    this.#beat = setInterval(() => void this.#checkLife(), options.beatMs ?? BEAT_MS)
  }

  /** What the host says about itself and this client. */
  get greeting() {
    return this.#client.host
  }

  /** The computer has slept or its network is back: tries now what it would try later. */
  hurry(): void {
    if (this.#reconnecting === undefined) void this.#checkSoon()
    else this.#reconnector?.hurry()
  }

  close(): void {
    this.#closing.abort()
    clearInterval(this.#beat)
    this.#client.close()
  }

  /** The connection names the caller, and the environment of this machine means nothing there. */
  async open(sessionId: SessionId): Promise<OpenedHandle> {
    const opened = await openWithRetries(() => this.#openWhenConnected(sessionId), this.#closing.signal)
    return opened.kind === "refused" ? opened : this.#linked(opened.handle)
  }

  async create(options: SessionOptions): Promise<OpenedHandle> {
    const created = this.#lost() ?? (await this.#client.create(options))
    return created.kind === "refused" ? created : this.#linked(created.handle)
  }

  async query<Type extends QueryType>(
    query: Queries[Type] & { readonly type: Type },
  ): Promise<Answered<Answers[Type]>> {
    return this.#lost() ?? this.#client.query(query)
  }

  async perform<Type extends HostCommandType>(
    command: HostCommands[Type] & { readonly type: Type },
  ): Promise<Answered<HostCommandResults[Type]>> {
    return this.#lost() ?? this.#client.perform(command)
  }

  #lost(): Refused | undefined {
    if (this.#reconnecting === undefined) return undefined
    return {
      kind: "refused",
      refusal: { code: "host.unreachable", what: `${this.#options.name} is being reconnected` },
    }
  }

  #linked(handle: SessionHandle): OpenedHandle {
    const { sessionId } = handle
    const relink = {
      open: () => this.#openWhenConnected(sessionId),
      owner: async () => this.#options.name, // another owner there is the concern of the other side
      ownHostId: this.#options.name,
      closed: this.#closing.signal,
      changed: (state: LinkChange) => this.#options.onChange(sessionId, state),
    }
    return { kind: "opened", handle: new LinkedHandle(handle, this.#options.name, relink) }
  }

  async #openWhenConnected(sessionId: SessionId): Promise<OpenedHandle> {
    return (await this.#reconnecting) ?? this.#client.open(sessionId)
  }

  #follow(client: LineClient): void {
    this.#isAlive = true
    void client.closed.then((reason) => this.#reconnect(reason))
  }

  /** A key that is no longer valid ends it. */
  #reconnect(reason: Refusal): void {
    if (this.#closing.signal.aborted) return
    this.#reconnecting =
      reason.code === "key.bad" ? Promise.resolve({ kind: "refused", refusal: reason }) : this.#retry()
  }

  async #retry(): Promise<Refused | undefined> {
    const { retry = RETRY, onProblem, refusalOf } = this.#options
    this.#reconnector = new Reconnector({ attempts: Infinity, ...retry }, this.#closing.signal)
    const outcome = await this.#reconnector.run(undefined, {
      connect: () => this.#connectAgain(),
      onAttempt: (_attempt, _waitMs, fault) => {
        if (fault instanceof Error) onProblem(fault.message)
      },
      isFinal: (fault) => refusalOf(fault)?.code === "key.bad",
    })
    if (outcome.kind === "connected") return undefined
    const refusal = outcome.kind === "failed" ? refusalOf(outcome.fault) : undefined
    return { kind: "refused", refusal: refusal ?? { code: "host.gone" } }
  }

  async #connectAgain(): Promise<void> {
    const client = await this.#options.connect("again")
    if (this.#closing.signal.aborted) return client.close()
    this.#client = client
    this.#reconnecting = undefined
    this.#follow(client)
  }

  /** A network that vanished reports nothing. A refused question is a sign of life too. */
  async #checkLife(): Promise<void> {
    if (this.#reconnecting !== undefined) return
    const client = this.#client
    if (!this.#isAlive) return client.close()
    this.#isAlive = false
    await client.query({ type: "host" })
    if (client === this.#client) this.#isAlive = true
  }

  /** A connection that died while the computer slept reports nothing either. */
  async #checkSoon(): Promise<void> {
    const client = this.#client
    const { hurriedMs = HURRIED_MS } = this.#options
    const answered = client.query({ type: "host" }).then(() => true)
    const late = delay(hurriedMs, this.#closing.signal).then(() => false)
    if (!(await Promise.race([answered, late])) && client === this.#client) client.close()
  }
}
