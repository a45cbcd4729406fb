// `Viewer`: one program attached to one agent. Folds the agent's messages into a state, passes them to readers, and
// matches answers to requests. Connections are handled by agent-link.ts.
import type { AgentMessage, AgentMetadata, ToolMode, ViewerMessage } from "../../protocols/ipc/frames.ts"
import { unlessAborted } from "../base/abort.ts"
import { errorOf } from "../base/fault.ts"
import { AgentLink, type ViewerEnd } from "./connection/agent-link.ts"
import {
  ackOf,
  agentList,
  conversationSync,
  exitReplyTo,
  slashResultOf,
  spawnedBy,
  withoutSlash,
  type SlashResult,
  PendingAnswers,
  type Expected,
} from "./connection/answers.ts"
import type { Received } from "./connection/connection.ts"
import { IpcClosed, IpcFault, IpcLost, IpcTimeout } from "./faults.ts"
import {
  defaultTimeoutMs,
  leaveMs,
  type AskOptions,
  type AttachOptions,
  type Place,
  type SayOptions,
  type SpawnOptions,
} from "./options.ts"
import { emptyState, endsGreeting, foldState, type ViewerState } from "./state/state.ts"
import { OpenTurns } from "./turns/open-turns.ts"
import { Turn } from "./turns/turn.ts"
import { type MessageOf, type ViewerEvent, ViewerEvents } from "./viewer-events.ts"

export class Viewer implements AsyncDisposable {
  readonly #link: AgentLink
  readonly #events = new ViewerEvents()
  readonly #pending = new PendingAnswers()
  readonly #turns = new OpenTurns()
  readonly #firstSync = Promise.withResolvers<void>()
  #state = emptyState
  #isReturning = false
  #isSyncRequested = false

  /** Resolves when the agent has sent its conversation. */
  static async attach(place: Place, options: AttachOptions = {}): Promise<Viewer> {
    const { timeoutMs = defaultTimeoutMs, signal } = options
    signal?.throwIfAborted()
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(new IpcTimeout("handshake", timeoutMs)), timeoutMs)
    const viewer = new Viewer(place, options)
    try {
      await viewer.#start(signal === undefined ? timeout.signal : AbortSignal.any([timeout.signal, signal]))
      return viewer
    } catch (fault) {
      viewer.#link.leave()
      throw fault
    } finally {
      clearTimeout(timer)
    }
  }

  private constructor(place: Place, options: AttachOptions) {
    const { handshake, token, encrypted = false, onEvent } = options
    if (onEvent !== undefined) this.#events.listen(onEvent)
    this.#link = new AgentLink({ place, handshake, token, encrypted }, options, {
      onReceived: (received) => this.#receive(received),
      onLost: (why, delayMs) => this.#handleLoss(why, delayMs),
    })
    void this.#link.ended.then((end) => this.#handleEnd(end))
  }

  get state(): ViewerState {
    return this.#state
  }

  get sessionId(): string {
    return this.#state.sessionId
  }

  /** Reattaches to this session. */
  get token(): string | undefined {
    return this.#link.token
  }

  get isConnected(): boolean {
    return this.#link.isConnected
  }

  /** Resolves when no further connection follows. */
  get ended(): Promise<ViewerEnd> {
    return this.#link.ended
  }

  /** All events from now on. A slow reader gets a gap. */
  events(): AsyncIterableIterator<ViewerEvent, undefined> {
    return this.#events.read()
  }

  /** Calls the listener for every message of a type, after the state has changed. Returns a function that removes it. */
  on<Type extends AgentMessage["type"]>(type: Type, listener: (message: MessageOf<Type>) => void): () => void {
    return this.#events.listen((event) => {
      if (event.kind === "message" && isOfType(event.message, type)) listener(event.message)
    })
  }

  onEvent(listener: (event: ViewerEvent) => void): () => void {
    return this.#events.listen(listener)
  }

  /** Sends a message as it is. Its answer goes to every viewer. */
  send(message: ViewerMessage): void {
    this.#link.send(message)
  }

  /** Sends a message and returns the turn that it starts, which may have to wait for another one. */
  say(text: string, { files = [], signal }: SayOptions = {}): Turn {
    const open = this.#turns.add(text, this.#state.messages)
    const turn = new Turn(open, () => this.cancel())
    try {
      signal?.throwIfAborted()
      this.send({ type: "user_input", content: text, context_files: [...files] })
    } catch (fault) {
      open.fail(errorOf(fault, IpcFault))
      return turn
    }
    const cancel = () => void turn.cancel().catch(() => {}) // `done` reports the end
    open.limit({ signal }, cancel, cancel)
    return turn
  }

  /** Stops the running turn, of any viewer. */
  async cancel(options?: AskOptions): Promise<void> {
    await this.#request({ type: "cancel" }, ackOf("cancel"), options)
  }

  /** Steers the running turn at its next pause; starts a turn when none runs. */
  async queue(text: string, options?: AskOptions): Promise<void> {
    await this.#request({ type: "queue_message", content: text }, ackOf("queue_message", "user_input"), options)
  }

  /** The state after the agent has sent everything again. */
  async sync(options?: AskOptions): Promise<ViewerState> {
    await this.#request({ type: "sync_request" }, conversationSync, options)
    return this.#state
  }

  async slash(command: string, args: readonly string[] = [], options?: AskOptions): Promise<SlashResult> {
    const name = withoutSlash(command)
    return this.#request({ type: "slash_command", command: name, args: [...args] }, slashResultOf(name), options)
  }

  async setToolMode(mode: ToolMode, options?: AskOptions): Promise<void> {
    await this.#request({ type: "set_tool_mode", mode }, ackOf("set_tool_mode"), options)
  }

  async agents(options?: AskOptions): Promise<readonly AgentMetadata[]> {
    return this.#request({ type: "list_agents" }, agentList, options)
  }

  /** Returns the session id of the new agent, which accepts viewers by then. */
  async spawn(options: SpawnOptions = {}): Promise<string> {
    const { model = null, reason = null, workingDirectory = null } = options
    const message = { type: "spawn_agent", model, reason, working_directory: workingDirectory } as const
    return (await this.#request(message, spawnedBy(this.sessionId, options), options)).new_session_id
  }

  /** Leaves; the agent continues. With `exitWhenDone` it ends when its work is done. */
  async detach({ exitWhenDone = false }: { readonly exitWhenDone?: boolean } = {}): Promise<void> {
    await this.#leaveWith({ type: "detach", exit_when_done: exitWhenDone })
  }

  /** Ends the agent. */
  async exit(): Promise<void> {
    await this.#leaveWith({ type: "exit" })
  }

  /** Leaves; nothing changes for the agent. */
  async close(): Promise<ViewerEnd> {
    if (this.isConnected) await this.#leaveWith({ type: "disconnect" }).catch(() => {}) // the agent is gone
    this.#link.leave()
    return this.ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #start(signal: AbortSignal): Promise<void> {
    await this.#link.start(signal)
    await unlessAborted(this.#firstSync.promise, signal)
  }

  #request<Answer>(message: ViewerMessage, expected: Expected<Answer>, options?: AskOptions): Promise<Answer> {
    const answer = this.#pending.wait(expected, options)
    answer.catch(() => {}) // `send` may throw first
    this.send(message)
    return answer
  }

  /** An agent may miss the message of a viewer that closes at once, so the answer or the close is awaited. */
  async #leaveWith(message: ViewerMessage): Promise<void> {
    const answered = this.#request(message, exitReplyTo(message.type), { timeoutMs: leaveMs })
    try {
      await Promise.race([answered, this.#link.closed()])
    } finally {
      this.#link.leave()
    }
  }

  #receive(received: Received): void {
    if (received.kind === "notice") return this.#events.emit(received, received.what.length)
    if (this.#isReturning) this.#handleReturn()
    const { message, weight } = received
    if (endsGreeting(this.#state, message)) this.#turns.greeted()
    this.#state = foldState(this.#state, message)
    this.#turns.receive(message)
    this.#pending.receive(message)
    if (message.type === "conversation_sync") this.#handleSync()
    if (message.type === "exiting") this.#link.setExiting(message.reason)
    this.#requestSyncAfter(message)
    this.#events.emit({ kind: "message", message }, weight)
  }

  /** Only a sync tells whether a turn is over: some agents do not end a failed one, and after a reconnect an own turn may
   *  be gone. It is requested once. */
  #requestSyncAfter(message: AgentMessage): void {
    const hasFailed = message.type === "error" && !message.fatal && this.#turns.mayHaveFailed
    const mayBeLost = message.type === "stream_end" && this.#turns.hasUnconfirmed
    if (this.#isSyncRequested || !(hasFailed || mayBeLost) || !this.isConnected) return
    this.#isSyncRequested = true
    this.#link.send({ type: "sync_request" })
  }

  #handleSync(): void {
    this.#isSyncRequested = false
    this.#link.markStable()
    this.#firstSync.resolve()
  }

  #handleReturn(): void {
    this.#isReturning = false
    this.#turns.reattached()
    this.#events.emit({ kind: "reattached" }, 0)
  }

  #handleLoss(why: string, delayMs: number | undefined): void {
    this.#isReturning = true
    this.#pending.rejectAll(new IpcLost(why))
    this.#events.emit({ kind: "lost", why, delayMs }, why.length)
  }

  #handleEnd(end: ViewerEnd): void {
    const fault = end.kind === "lost" ? end.fault : end.kind === "closed" ? new IpcClosed() : new IpcLost(end.reason)
    this.#firstSync.reject(fault)
    this.#firstSync.promise.catch(() => {}) // reported by `attach`
    this.#pending.rejectAll(fault)
    this.#turns.fail(fault)
    this.#events.end()
  }
}

function isOfType<Type extends AgentMessage["type"]>(message: AgentMessage, type: Type): message is MessageOf<Type> {
  return message.type === type
}
