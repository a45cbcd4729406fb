// The link to one conversation over successive connections. After a lost connection it reconnects to the same
// conversation with growing waits; requests wait meanwhile.
import { unlessAborted } from "../../base/abort.ts"
import { errorOf } from "../../base/fault.ts"
import { Reconnector } from "../../base/reconnector.ts"
import { BadAnswer, ClientFault, ConnectionLost, NotConnected, RequestRefused, SessionClosed } from "../faults.ts"
import {
  defaultReconnect,
  type AuthContext,
  type ConnectOptions,
  type Limits,
  type Reconnect,
  type Timeouts,
} from "../options.ts"
import { Connection, type FrameFields } from "./connection.ts"
import type { FrameContent, ServerFrame } from "./read-frame.ts"
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
  /** `isResumed`: in the requested conversation, or in the one that the session had. */
  | { readonly kind: "connected"; readonly isResumed: boolean }
  | { readonly kind: "reconnecting"; readonly attempt: number; readonly waitMs: number; readonly code: number }
  /** Final. Without a fault: `close` was called. */
  | { readonly kind: "closed"; readonly fault: Error | undefined }

export interface LinkHooks {
  readonly onFrame: (frame: ServerFrame) => void
  readonly onNoise: (text: string) => void
  /** Before a connection: its frames about an open turn start at the turn's beginning. */
  readonly onConnecting: () => void
  readonly onLost: (end: SocketEnd) => void
  /** `isSame` is false when the server no longer has the conversation and started a new one. */
  readonly onResumed: (connection: Connection, isSame: boolean) => void
  readonly onState: (state: LinkState) => void
  /** No further connection follows. */
  readonly onOver: (fault: Error) => void
}

export interface LinkOptions extends ConnectOptions {
  readonly WebSocket: WebSocketClass
  readonly timeouts: Timeouts
  readonly limits: Limits
}

/** Refusals after which another attempt can succeed. */
const temporaryCodes: ReadonlySet<string> = new Set(["INTERNAL_ERROR", "STORAGE_ERROR", "RATE_LIMITED"])

export class SessionLink {
  readonly #url: string | URL
  readonly #options: LinkOptions
  readonly #hooks: LinkHooks
  readonly #stop = new AbortController()
  readonly #policy: Reconnect | undefined
  readonly #reconnector: Reconnector
  #ready = pendingConnection()
  #live: Connection | undefined
  #visit: Visit | undefined
  #isResumed = false
  #connectedAt = 0
  #fault: Error | undefined

  constructor(url: string | URL, options: LinkOptions, hooks: LinkHooks) {
    this.#url = url
    this.#options = options
    this.#hooks = hooks
    this.#policy = options.reconnect === false ? undefined : { ...defaultReconnect, ...options.reconnect }
    this.#reconnector = new Reconnector(this.#policy ?? defaultReconnect, this.#stop.signal)
  }

  /** One attempt: the caller decides about a server that is not there at the start. */
  async start(): Promise<void> {
    try {
      await this.#connect()
    } catch (fault) {
      this.#finish(errorOf(fault, ClientFault))
      throw fault
    }
  }

  get visit(): Visit {
    if (this.#visit === undefined) throw new NotConnected("the session is not connected yet")
    return this.#visit
  }

  get isResumed(): boolean {
    return this.#isResumed
  }

  /** Why no further connection follows. */
  get fault(): Error | undefined {
    return this.#fault
  }

  get live(): Connection | undefined {
    return this.#live
  }

  /** Waits while there is no connection. */
  async current(signal?: AbortSignal): Promise<Connection> {
    for (;;) {
      const connection = await unlessAborted(this.#ready.promise, signal)
      if (!connection.isOver) return connection
    }
  }

  /** Joins the conversation again, and so a turn that started meanwhile. */
  async rejoin(connection: Connection): Promise<void> {
    const { agentId, userName, userEmail, supports, metadata, timeouts } = this.#options
    const conversationId = this.#visit?.conversationId ?? this.#options.conversationId
    const authContext = await this.#authContext()
    const about: FrameFields = { agentId, userName, userEmail, supports, metadata }
    const fields: FrameFields = { ...about, conversationId, ...(authContext && { authContext: { ...authContext } }) }
    const limits = { timeoutMs: timeouts.requestMs, signal: this.#stop.signal }
    this.#visit = readVisit(await connection.request("create_conversation_session", fields, limits))
    this.#isResumed = this.#visit.conversationId === conversationId
  }

  /** The connection works: the attempts count from zero again. */
  markStable(): void {
    this.#reconnector.reset()
  }

  async close(): Promise<void> {
    const live = this.#live
    this.#stop.abort(new SessionClosed())
    this.#finish(new SessionClosed())
    await live?.close()
  }

  async #connect(): Promise<void> {
    const { WebSocket, timeouts, limits } = this.#options
    const { onFrame, onNoise } = this.#hooks
    const address = await this.#address()
    this.#hooks.onConnecting()
    let own: Connection | undefined
    const onEnd = (end: SocketEnd) => {
      if (own !== undefined && own === this.#live) this.#handleLoss(end)
    }
    const options = { WebSocket, timeouts, limits, onFrame, onNoise, onEnd }
    const connection = await Connection.open(address, options, this.#stop.signal)
    own = connection
    try {
      await this.rejoin(connection)
      this.#stop.signal.throwIfAborted()
      if (connection.isOver) throw new ConnectionLost("create_conversation_session")
    } catch (fault) {
      void connection.close()
      throw fault
    }
    const isFirst = this.#connectedAt === 0
    this.#live = connection
    this.#connectedAt = Date.now()
    if (!isFirst) this.#hooks.onResumed(connection, this.#isResumed) // before anything new is sent on it
    this.#ready.resolve(connection)
    this.#hooks.onState({ kind: "connected", isResumed: this.#isResumed })
  }

  async #authContext(): Promise<AuthContext | undefined> {
    const { authContext: source } = this.#options
    return unlessAborted(Promise.resolve(typeof source === "function" ? source() : source), this.#stop.signal)
  }

  async #address(): Promise<string> {
    const address = new URL(this.#url)
    if (address.protocol === "http:") address.protocol = "ws:"
    if (address.protocol === "https:") address.protocol = "wss:"
    const { token: source } = this.#options
    const token = Promise.resolve(typeof source === "function" ? source() : source)
    const value = await unlessAborted(token, this.#stop.signal)
    if (value !== undefined) address.searchParams.set("token", value)
    return address.href
  }

  #handleLoss(end: SocketEnd): void {
    this.#live = undefined
    if (this.#fault !== undefined) return
    this.#ready = pendingConnection()
    this.#hooks.onLost(end)
    if (this.#policy === undefined || this.#policy.isFinal(end.code)) return this.#finish(closedBy(end))
    if (Date.now() - this.#connectedAt >= this.#policy.stableMs) this.#reconnector.reset()
    void this.#reconnect(end.code)
  }

  async #reconnect(code: number): Promise<void> {
    const outcome = await this.#reconnector.run(undefined, {
      connect: () => this.#connect(),
      onAttempt: (attempt, waitMs) => this.#hooks.onState({ kind: "reconnecting", attempt, waitMs, code }),
      isFinal,
    })
    if (outcome.kind !== "failed") return
    const message = "the connection was lost and the server could not be reached again"
    this.#finish(new NotConnected(message, code, outcome.fault))
  }

  #finish(fault: Error): void {
    if (this.#fault !== undefined) return
    this.#fault = fault
    this.#stop.abort(fault)
    if (this.#live !== undefined) this.#ready = pendingConnection()
    this.#live = undefined
    this.#ready.reject(fault)
    this.#hooks.onOver(fault)
    this.#hooks.onState({ kind: "closed", fault: fault instanceof SessionClosed ? undefined : fault })
  }
}

function pendingConnection(): PromiseWithResolvers<Connection> {
  const ready = Promise.withResolvers<Connection>()
  ready.promise.catch(() => {}) // reported to its caller
  return ready
}

function isFinal(fault: unknown): boolean {
  return fault instanceof BadAnswer || (fault instanceof RequestRefused && !temporaryCodes.has(fault.code))
}

function closedBy({ code, reason }: SocketEnd): NotConnected {
  return new NotConnected(`the server closed the connection (${code}${reason === "" ? "" : `, ${reason}`})`, code)
}

function readVisit(content: FrameContent): Visit {
  const data = content.kind === "response" ? content.data : undefined
  const required = (name: string) => {
    const value = data?.text(name)
    if (value === undefined) throw new BadAnswer("create_conversation_session", name)
    return value
  }
  return {
    sessionId: required("sessionId"),
    conversationId: required("conversationId"),
    agentId: required("agentId"),
    agentName: data?.text("agentName") ?? "",
    userParticipantId: data?.text("userParticipantId") ?? "",
    agentParticipantId: data?.text("agentParticipantId") ?? "",
  }
}
