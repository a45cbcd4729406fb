// A conversation with an agent: messages become turns, everything else is a request. It outlives connections
// (session-link.ts) until it is closed.
import { onAbort } from "../base/abort.ts"
import { Listeners } from "../base/listeners.ts"
import type { CodeOutcome, ServerFrame } from "./connection/read-frame.ts"
import { Requests } from "./connection/requests.ts"
import { SessionLink, type LinkState, type Visit } from "./connection/session-link.ts"
import { BadAnswer } from "./faults.ts"
import { readConversations, readPage, type ConversationLine, type Message, type MessagePage } from "./messages.ts"
import {
  defaultLimits,
  defaultTimeouts,
  type ConnectOptions,
  type PageOptions,
  type RequestOptions,
  type SendOptions,
} from "./options.ts"
import { TurnController } from "./turns/turn-controller.ts"
import type { Turn } from "./turns/turn.ts"

export interface SessionEvents {
  readonly state: LinkState
  /** A turn that another client started. */
  readonly turn: Turn
  /** A server error that belongs to no request and no turn. */
  readonly problem: { readonly code: string; readonly message: string }
  /** A text that is no known frame. */
  readonly noise: string
}

/** Opens a conversation. Rejects when the server cannot be reached or refuses. */
export async function connect(url: string | URL, options: ConnectOptions): Promise<ClientSession> {
  const session = new ClientSession(url, options)
  await session.start()
  return session
}

export class ClientSession implements AsyncDisposable {
  readonly #signal: AbortSignal | undefined
  readonly #listeners: { readonly [Kind in keyof SessionEvents]: Listeners<SessionEvents[Kind]> } = {
    state: new Listeners(),
    turn: new Listeners(),
    problem: new Listeners(),
    noise: new Listeners(),
  }
  readonly #link: SessionLink
  readonly #requests: Requests
  readonly #turns: TurnController
  #removeListener = () => {}
  #closing: Promise<void> | undefined

  /** Use `connect`, which waits until the conversation is open. */
  constructor(url: string | URL, options: ConnectOptions) {
    const timeouts = { ...defaultTimeouts, ...options.timeouts }
    const limits = { ...defaultLimits, ...options.limits }
    const { resend = "when-certain", WebSocket = globalThis.WebSocket } = options
    this.#signal = options.signal
    this.#link = new SessionLink(
      url,
      { ...options, WebSocket, timeouts, limits },
      {
        onFrame: (frame) => this.#receive(frame),
        onNoise: (text) => this.#listeners.noise.emit(text),
        onConnecting: () => this.#turns.restart(),
        onLost: (end) => this.#turns.handleLoss(end),
        onResumed: (connection, isSame) => this.#turns.resume(connection, isSame),
        onState: (state) => this.#listeners.state.emit(state),
        onOver: (fault) => this.#end(fault),
      },
    )
    this.#requests = new Requests(this.#link, timeouts)
    const onJoined = (turn: Turn) => this.#listeners.turn.emit(turn)
    this.#turns = new TurnController(this.#link, this.#requests, { timeouts, limits, resend, onJoined })
  }

  async start(): Promise<void> {
    this.#signal?.throwIfAborted()
    this.#removeListener = onAbort(this.#signal, () => void this.close())
    try {
      await this.#link.start()
    } catch (fault) {
      this.#signal?.throwIfAborted()
      throw fault
    }
  }

  /** Changes with every connection. */
  get sessionId(): string {
    return this.#link.visit.sessionId
  }

  /** Resumes the conversation from anywhere, as the option `conversationId`. */
  get conversationId(): string {
    return this.#link.visit.conversationId
  }

  get agentName(): string {
    return this.#link.visit.agentName
  }

  /** The ids that the server gave this client. */
  get visit(): Visit {
    return this.#link.visit
  }

  /** False when the requested conversation does not exist and this is a new one. */
  get isResumed(): boolean {
    return this.#link.isResumed
  }

  get isConnected(): boolean {
    return this.#link.live !== undefined
  }

  /** The running turn, of this client or another. */
  get turn(): Turn | undefined {
    return this.#turns.running
  }

  /** Returns a function that removes the listener. */
  on<Kind extends keyof SessionEvents>(kind: Kind, listener: (event: SessionEvents[Kind]) => void): () => void {
    return this.#listeners[kind].add(listener)
  }

  /** Sends at once, or as soon as there is a connection. */
  send(text: string, options: SendOptions = {}): Turn {
    return this.#turns.send(text, options)
  }

  /** Checks a one-time code. A wrong code is an outcome, not a fault. */
  async verify(code: string, options?: RequestOptions): Promise<CodeOutcome> {
    const content = await this.#requests.send("verify_otp", { code }, options)
    if (content.kind !== "code") throw new BadAnswer("verify_otp", "outcome")
    return content.outcome
  }

  /** One page, newest first. */
  async messages({ limit, cursor, ...options }: PageOptions = {}): Promise<MessagePage> {
    return readPage(await this.#requests.read("get_conversation_messages", { limit, cursor }, options))
  }

  /** All messages, newest first. Pages are loaded as they are read. */
  async *allMessages(options: PageOptions = {}): AsyncGenerator<Message, void, undefined> {
    let { cursor } = options
    for (;;) {
      const page = await this.messages({ ...options, cursor })
      yield* page.messages
      if (!page.hasMore || page.nextCursor === cursor) return
      cursor = page.nextCursor
    }
  }

  /** The conversations of this user, newest first. */
  async conversations({ limit, ...options }: Omit<PageOptions, "cursor"> = {}): Promise<readonly ConversationLine[]> {
    return readConversations(await this.#requests.read("list_conversations", { limit }, options))
  }

  /** Returns the title as the server stored it. */
  async rename(title: string, options: RequestOptions & { readonly conversationId?: string } = {}): Promise<string> {
    const { conversationId = this.conversationId, ...rest } = options
    const data = await this.#requests.read("rename_conversation", { conversationId, title }, rest)
    return data.text("title") ?? title
  }

  /** Round-trip time in milliseconds. */
  async ping(options?: RequestOptions): Promise<number> {
    const before = performance.now()
    await this.#requests.send("ping", {}, options)
    return performance.now() - before
  }

  /** Closes the connection; a running turn continues on the server. */
  close(): Promise<void> {
    this.#closing ??= this.#link.close()
    return this.#closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #receive(frame: ServerFrame): void {
    const isTurn = this.#turns.receive(frame)
    const { content } = frame
    if (!isTurn && content.kind === "error")
      this.#listeners.problem.emit({ code: content.code, message: content.message })
  }

  #end(fault: Error): void {
    this.#removeListener()
    this.#turns.end(fault)
  }
}
