// The way to one conversation, over one connection after another. A connection that is lost is followed by one that
// comes back to the same conversation, after a wait that grows and has an end; requests meanwhile wait for it.
import { Connection, type FrameMembers } from "./connection.ts"
import { asError, BadAnswer, ConnectionLost, NotConnected, RequestRefused, SessionClosed } from "./faults.ts"
import type { Limits, ConnectOptions, Reconnect, Timeouts } from "./options.ts"
import { defaultReconnect } from "./options.ts"
import { backoffMs, pause, unlessAborted } from "./pause.ts"
import type { Said, ServerFrame } from "./read-frame.ts"
import type { SocketEnd, WebSocketClass } from "./text-socket.ts"

/** This client in a conversation. The protocol calls it a session; every connection has its own. */
export interface Visit {
  readonly sessionId: string
  readonly conversationId: string
  readonly agentId: string
  readonly agentName: string
  readonly userParticipantId: string
  readonly agentParticipantId: string
}

export type LinkState =
  /** `isResumed`: in the conversation that was asked for or that the session had. */
  | { readonly kind: "connected"; readonly isResumed: boolean }
  | { readonly kind: "reconnecting"; readonly attempt: number; readonly waitMs: number; readonly code: number }
  /** For good. Without a fault: by its owner. */
  | { readonly kind: "closed"; readonly fault: Error | undefined }

export interface LifelineHooks {
  readonly onFrame: (frame: ServerFrame) => void
  readonly onNoise: (text: string) => void
  /** A connection begins: whatever it tells of a turn begins at the beginning. */
  readonly onConnecting: () => void
  readonly onLost: (end: SocketEnd) => void
  /** In the conversation again, or in a new one when the server does not know the old one any more. */
  readonly onResumed: (connection: Connection, isSame: boolean) => void
  readonly onState: (state: LinkState) => void
  /** No other connection follows. */
  readonly onOver: (fault: Error) => void
}

export interface LifelineOptions extends ConnectOptions {
  readonly WebSocket: WebSocketClass
  readonly timeouts: Timeouts
  readonly limits: Limits
}

/** Refusals that the next attempt may not meet. */
const passing: ReadonlySet<string> = new Set(["INTERNAL_ERROR", "STORAGE_ERROR", "RATE_LIMITED"])

export class Lifeline {
  readonly #url: string | URL
  readonly #options: LifelineOptions
  readonly #hooks: LifelineHooks
  readonly #stop = new AbortController()
  readonly #reconnect: Reconnect | undefined
  #ready = waiting()
  #live: Connection | undefined
  #visit: Visit | undefined
  #isResumed = false
  #failures = 0
  #since = 0
  #fault: Error | undefined

  constructor(url: string | URL, options: LifelineOptions, hooks: LifelineHooks) {
    this.#url = url
    this.#options = options
    this.#hooks = hooks
    this.#reconnect = options.reconnect === false ? undefined : { ...defaultReconnect, ...options.reconnect }
  }

  /** Tried once: a server that is not there at the beginning is for the caller to decide about. */
  async begin(): Promise<void> {
    try {
      await this.#enter()
    } catch (fault) {
      this.#finish(asError(fault))
      throw fault
    }
  }

  get visit(): Visit {
    if (this.#visit === undefined) throw new NotConnected("the session has not begun")
    return this.#visit
  }

  get isResumed(): boolean {
    return this.#isResumed
  }

  /** Why no other connection follows. */
  get fault(): Error | undefined {
    return this.#fault
  }

  /** The connection of this moment. */
  get live(): Connection | undefined {
    return this.#live
  }

  /** The connection, as soon as there is one. */
  async current(signal?: AbortSignal): Promise<Connection> {
    for (;;) {
      const connection = await unlessAborted(this.#ready.promise, signal)
      if (!connection.isOver) return connection
    }
  }

  /** Comes into the conversation once more, and so into a turn that has begun meanwhile. */
  async rejoin(connection: Connection): Promise<void> {
    await this.#visitOn(connection)
  }

  /** The connection has shown that it works. */
  proved(): void {
    this.#failures = 0
  }

  async close(): Promise<void> {
    const live = this.#live
    this.#stop.abort(new SessionClosed())
    this.#finish(new SessionClosed())
    await live?.close()
  }

  async #enter(): Promise<void> {
    const { WebSocket, timeouts, limits } = this.#options
    const { onFrame, onNoise } = this.#hooks
    const address = await this.#address()
    this.#hooks.onConnecting()
    let own: Connection | undefined
    const onEnd = (end: SocketEnd) => {
      if (own !== undefined && own === this.#live) this.#lost(end)
    }
    const deps = { WebSocket, timeouts, limits, onFrame, onNoise, onEnd }
    const connection = await Connection.open(address, deps, this.#stop.signal)
    own = connection
    try {
      await this.#visitOn(connection)
      this.#stop.signal.throwIfAborted()
      if (connection.isOver) throw new ConnectionLost("create_conversation_session")
    } catch (fault) {
      void connection.close()
      throw fault
    }
    const isFirst = this.#since === 0
    this.#live = connection
    this.#since = Date.now()
    if (!isFirst) this.#hooks.onResumed(connection, this.#isResumed) // before anything new is sent on it
    this.#ready.resolve(connection)
    this.#hooks.onState({ kind: "connected", isResumed: this.#isResumed })
  }

  async #visitOn(connection: Connection): Promise<void> {
    const { agentId, userName, userEmail, supports, metadata, timeouts } = this.#options
    const wanted = this.#visit?.conversationId ?? this.#options.conversationId
    const members: FrameMembers = { agentId, userName, userEmail, supports, metadata, conversationId: wanted }
    const patience = { timeoutMs: timeouts.requestMs, signal: this.#stop.signal }
    const visit = readVisit(await connection.ask("create_conversation_session", members, patience))
    this.#visit = visit
    this.#isResumed = visit.conversationId === wanted
  }

  async #address(): Promise<string> {
    const address = new URL(this.#url)
    if (address.protocol === "http:") address.protocol = "ws:"
    if (address.protocol === "https:") address.protocol = "wss:"
    const { token } = this.#options
    const asked = Promise.resolve(typeof token === "function" ? token() : token)
    const given = await unlessAborted(asked, this.#stop.signal)
    if (given !== undefined) address.searchParams.set("token", given)
    return address.href
  }

  #lost(end: SocketEnd): void {
    this.#live = undefined
    if (this.#fault !== undefined) return
    this.#ready = waiting()
    this.#hooks.onLost(end)
    if (this.#reconnect === undefined || this.#reconnect.isFinal(end.code)) return this.#finish(closed(end))
    if (Date.now() - this.#since >= this.#reconnect.stableMs) this.#failures = 0
    void this.#comeBack(this.#reconnect, end)
  }

  async #comeBack({ attempts, firstMs, maxMs }: Reconnect, { code }: SocketEnd): Promise<void> {
    let last: unknown
    while (this.#failures < attempts && !isFinal(last)) {
      const waitMs = backoffMs(this.#failures, firstMs, maxMs, Math.random())
      this.#failures += 1
      this.#hooks.onState({ kind: "reconnecting", attempt: this.#failures, waitMs, code })
      try {
        await pause(waitMs, this.#stop.signal)
        return await this.#enter()
      } catch (fault) {
        if (this.#stop.signal.aborted) return
        last = fault
      }
    }
    this.#finish(new NotConnected("the connection was lost and the server could not be reached again", code, last))
  }

  #finish(fault: Error): void {
    if (this.#fault !== undefined) return
    this.#fault = fault
    this.#stop.abort(fault)
    if (this.#live !== undefined) this.#ready = waiting()
    this.#live = undefined
    this.#ready.reject(fault)
    this.#hooks.onOver(fault)
    this.#hooks.onState({ kind: "closed", fault: fault instanceof SessionClosed ? undefined : fault })
  }
}

function waiting(): PromiseWithResolvers<Connection> {
  const ready = Promise.withResolvers<Connection>()
  ready.promise.catch(() => {}) // whoever waits for it is told
  return ready
}

function isFinal(fault: unknown): boolean {
  return fault instanceof BadAnswer || (fault instanceof RequestRefused && !passing.has(fault.code))
}

function closed({ code, reason }: SocketEnd): NotConnected {
  return new NotConnected(`the server closed the connection (${code}${reason === "" ? "" : `, ${reason}`})`, code)
}

function readVisit(said: Said): Visit {
  const data = said.kind === "answer" ? said.data : undefined
  const text = (name: string) => {
    const value = data?.text(name)
    if (value === undefined) throw new BadAnswer("create_conversation_session", name)
    return value
  }
  return {
    sessionId: text("sessionId"),
    conversationId: text("conversationId"),
    agentId: text("agentId"),
    agentName: data?.text("agentName") ?? "",
    userParticipantId: data?.text("userParticipantId") ?? "",
    agentParticipantId: data?.text("agentParticipantId") ?? "",
  }
}
