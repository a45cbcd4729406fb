// The connection of the chat: opened, kept, and opened again after every end that is not final. The client library resumes
// turns; this module decides when to try and what the visitor is told.
import { signal } from "@preact/signals"
import { Reconnector } from "../../../src/clients/base/reconnector.ts"
import { capabilityOf, connect, type ClientSession, type ConnectOptions } from "../../../src/clients/ws/index.ts"
import { isExpired, refusalProblem, type Problem } from "./problems.ts"

export type LinkPhase = "idle" | "connecting" | "online" | "offline" | "unavailable" | "signed-out"

export interface LinkOptions extends Pick<
  ConnectOptions,
  "agentId" | "userName" | "userEmail" | "token" | "authContext"
> {
  readonly url: string
  /** Whether the page gives a new token for every connection. */
  readonly canRenewToken: () => boolean
  /** Of the page, for messages to its developer. */
  readonly origin: string
  readonly conversationId: () => string | undefined
  readonly onSession: (session: ClientSession) => void
  /** The server no longer has the conversation and has opened another one. */
  readonly onReplaced: (session: ClientSession) => void
  readonly onProblem: (problem: Problem) => void
}

const retry = { attempts: Infinity, firstMs: 1000, maxMs: 15_000 }

export class Link {
  readonly phase = signal<LinkPhase>("idle")
  readonly #options: LinkOptions
  #stop = new AbortController()
  #session: ClientSession | undefined
  #isReported = false

  constructor(options: LinkOptions) {
    this.#options = options
  }

  get session(): ClientSession | undefined {
    return this.#session
  }

  start(): void {
    if (this.phase.value !== "idle") return
    this.phase.value = "connecting"
    void this.#open(this.#stop.signal)
  }

  /** Ends the connection; `start` makes another one. */
  stop(): void {
    this.#stop.abort()
    this.#stop = new AbortController()
    this.#session = undefined
    this.phase.value = "idle"
  }

  restart(): void {
    this.stop()
    this.start()
  }

  async #open(stop: AbortSignal): Promise<void> {
    try {
      await this.#connect(stop)
    } catch (fault) {
      if (stop.aborted || this.#isFinal(fault)) return
      this.#reportUnreachable(fault)
      await new Reconnector(retry, stop).run(fault, {
        connect: () => this.#connect(stop),
        onAttempt: () => (this.phase.value = "offline"),
        isFinal: (later) => this.#isFinal(later),
      })
    }
  }

  async #connect(stop: AbortSignal): Promise<void> {
    const { url, agentId, userName, userEmail, token, authContext, conversationId, onSession } = this.#options
    const session = await connect(url, {
      agentId,
      userName,
      userEmail,
      token,
      authContext,
      conversationId: conversationId(),
      supports: Object.values(capabilityOf),
      reconnect: { attempts: Infinity },
      resend: "always",
      signal: stop,
    })
    stop.throwIfAborted()
    this.#session = session
    session.on("state", (state) => {
      if (stop.aborted) return
      if (state.kind === "reconnecting") this.phase.value = "offline"
      if (state.kind === "connected") this.#handleConnected(session, state.isResumed)
      if (state.kind === "closed") this.#handleClosed(state.fault, stop)
    })
    this.phase.value = "online"
    onSession(session)
  }

  #handleConnected(session: ClientSession, isResumed: boolean): void {
    this.phase.value = "online"
    if (!isResumed) this.#options.onReplaced(session)
  }

  #handleClosed(fault: Error | undefined, stop: AbortSignal): void {
    if (fault === undefined || stop.aborted || this.#isFinal(fault)) return
    if (isExpired(fault) && !this.#options.canRenewToken()) this.phase.value = "signed-out"
    else this.restart()
  }

  #isFinal(fault: unknown): boolean {
    const { agentId, origin, onProblem } = this.#options
    const problem = refusalProblem(fault, agentId, origin)
    if (problem === undefined) return false
    this.phase.value = "unavailable"
    onProblem(problem)
    return true
  }

  /** A browser does not tell a page whether a server is absent or refuses it. */
  #reportUnreachable(fault: unknown): void {
    if (this.#isReported) return
    this.#isReported = true
    const { url, origin, onProblem } = this.#options
    const reason = fault instanceof Error ? fault.message : String(fault)
    onProblem({
      code: "NOT_CONNECTED",
      message: `no connection to ${url} (${reason}). If the server runs, it may refuse pages of ${origin}: add it to server.origins or to embed.origins of the agent, and ${new URL(url).origin} to connect-src of the page's Content-Security-Policy.`,
    })
  }
}
