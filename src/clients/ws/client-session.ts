// A conversation with an agent: messages become turns (turn-desk.ts), everything else is a request with an answer. Which
// connection carries them is not its concern (lifeline.ts). It outlives connections, until it is closed.
import { readConversations, type ConversationLine } from "./conversations.ts"
import { BadAnswer } from "./faults.ts"
import { Lifeline, type LinkState, type Visit } from "./lifeline.ts"
import { Listeners } from "./listeners.ts"
import {
  defaultLimits,
  defaultTimeouts,
  type ConnectOptions,
  type PageOptions,
  type RequestOptions,
  type SendOptions,
} from "./options.ts"
import type { CodeOutcome, ServerFrame } from "./read-frame.ts"
import { Requests } from "./requests.ts"
import { readPage, type Message, type MessagePage } from "./rows.ts"
import { TurnDesk } from "./turn-desk.ts"
import type { Turn } from "./turn.ts"

export interface SessionEvents {
  readonly state: LinkState
  /** A turn that ran when the session came in, and that it did not begin. */
  readonly turn: Turn
  /** An error of the server that belongs to no request and no turn. */
  readonly problem: { readonly code: string; readonly message: string }
  /** A frame that is not understood. */
  readonly noise: string
}

/** Comes into a conversation. Rejects when the server cannot be reached or refuses. */
export async function connect(url: string | URL, options: ConnectOptions): Promise<ClientSession> {
  const session = new ClientSession(url, options)
  await session.begin()
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
  readonly #link: Lifeline
  readonly #requests: Requests
  readonly #desk: TurnDesk
  readonly #stop = () => void this.close()
  #closing: Promise<void> | undefined

  /** Use `connect`, which waits until the conversation is open. */
  constructor(url: string | URL, options: ConnectOptions) {
    const timeouts = { ...defaultTimeouts, ...options.timeouts }
    const limits = { ...defaultLimits, ...options.limits }
    const { resend = "when-certain", WebSocket = globalThis.WebSocket } = options
    this.#signal = options.signal
    this.#link = new Lifeline(
      url,
      { ...options, WebSocket, timeouts, limits },
      {
        onFrame: (frame) => this.#hear(frame),
        onNoise: (text) => this.#listeners.noise.tell(text),
        onConnecting: () => this.#desk.again(),
        onLost: (end) => this.#desk.lost(end),
        onResumed: (connection, isSame) => this.#desk.resumed(connection, isSame),
        onState: (state) => this.#listeners.state.tell(state),
        onOver: (fault) => this.#over(fault),
      },
    )
    this.#requests = new Requests(this.#link, timeouts)
    const onJoined = (turn: Turn) => this.#listeners.turn.tell(turn)
    this.#desk = new TurnDesk(this.#link, this.#requests, { timeouts, limits, resend, onJoined })
  }

  async begin(): Promise<void> {
    this.#signal?.throwIfAborted()
    this.#signal?.addEventListener("abort", this.#stop, { once: true })
    try {
      await this.#link.begin()
    } catch (fault) {
      this.#signal?.throwIfAborted()
      throw fault
    }
  }

  /** Of this connection: the next one has another. */
  get sessionId(): string {
    return this.#link.visit.sessionId
  }

  /** With it the conversation can be come back to, from anywhere. */
  get conversationId(): string {
    return this.#link.visit.conversationId
  }

  get agentName(): string {
    return this.#link.visit.agentName
  }

  /** All that the server says about who is here. */
  get visit(): Visit {
    return this.#link.visit
  }

  /** False when the conversation that was asked for is not there, and this is a new one. */
  get isResumed(): boolean {
    return this.#link.isResumed
  }

  get isConnected(): boolean {
    return this.#link.live !== undefined
  }

  /** The turn that is running: begun here, or when the session came in. */
  get turn(): Turn | undefined {
    return this.#desk.running
  }

  /** Gives the way to turn away again. */
  on<Kind extends keyof SessionEvents>(kind: Kind, listener: (told: SessionEvents[Kind]) => void): () => void {
    return this.#listeners[kind].add(listener)
  }

  /** Sent at once, or as soon as there is a connection. */
  send(text: string, options: SendOptions = {}): Turn {
    return this.#desk.send(text, options)
  }

  /** Hands in a one-time code. A wrong one is an answer and no fault. */
  async verify(code: string, options?: RequestOptions): Promise<CodeOutcome> {
    const said = await this.#requests.ask("verify_otp", { code }, options)
    if (said.kind !== "code") throw new BadAnswer("verify_otp", "outcome")
    return said.outcome
  }

  /** One page, newest first. */
  async messages({ limit, cursor, ...options }: PageOptions = {}): Promise<MessagePage> {
    return readPage(await this.#requests.read("get_conversation_messages", { limit, cursor }, options))
  }

  /** All of them, newest first, page by page as they are taken. */
  async *allMessages(options: PageOptions = {}): AsyncGenerator<Message, void, undefined> {
    let { cursor } = options
    for (;;) {
      const page = await this.messages({ ...options, cursor })
      yield* page.messages
      if (!page.hasMore || page.nextCursor === cursor) return
      cursor = page.nextCursor
    }
  }

  /** Of whoever this client is to the server, newest first. */
  async conversations({ limit, ...options }: Omit<PageOptions, "cursor"> = {}): Promise<readonly ConversationLine[]> {
    return readConversations(await this.#requests.read("list_conversations", { limit }, options))
  }

  /** Gives the title as the server has it. */
  async rename(title: string, options: RequestOptions & { readonly conversationId?: string } = {}): Promise<string> {
    const { conversationId = this.conversationId, ...rest } = options
    const data = await this.#requests.read("rename_conversation", { conversationId, title }, rest)
    return data.text("title") ?? title
  }

  /** Milliseconds there and back. */
  async ping(options?: RequestOptions): Promise<number> {
    const before = performance.now()
    await this.#requests.ask("ping", {}, options)
    return performance.now() - before
  }

  /** Lets the connection go; a running turn goes on at the server. Over when this resolves, whatever the server does. */
  close(): Promise<void> {
    this.#closing ??= this.#link.close()
    return this.#closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #hear(frame: ServerFrame): void {
    const isOurs = this.#desk.hear(frame)
    const { said } = frame
    if (!isOurs && said.kind === "error") this.#listeners.problem.tell({ code: said.code, message: said.message })
  }

  #over(fault: Error): void {
    this.#signal?.removeEventListener("abort", this.#stop)
    this.#desk.end(fault)
  }
}
