// `Viewer`: one program at one agent. What the agent says is folded into a state and told on; what the program asks is
// sent and its answer recognised. Which connection carries it is not its concern (tether.ts).
import type { AgentMessage, AgentMetadata, ToolMode, ViewerMessage } from "../../protocols/ipc/frames.ts"
import { ackOf, anAgentList, aSync, plainName, resultOf, spawnedBy, type SlashResult } from "./answers.ts"
import { Audience, isOf, type MessageOf } from "./audience.ts"
import { Expectations, type Expected } from "./expectations.ts"
import { asError, IpcClosed, IpcLost, IpcTimeout } from "./faults.ts"
import type { Heard } from "./link.ts"
import { defaultTimeoutMs, leaveMs } from "./options.ts"
import type { AskOptions, AttachOptions, Place, SayOptions, SpawnOptions } from "./options.ts"
import { emptyState, endsGreeting, foldState, type ViewerState } from "./state.ts"
import { Tether, type ViewerEnd } from "./tether.ts"
import { Turn } from "./turn.ts"
import { Turns } from "./turns.ts"
import type { ViewerEvent } from "./viewer-event.ts"

export class Viewer implements AsyncDisposable {
  readonly #tether: Tether
  readonly #audience = new Audience()
  readonly #expectations = new Expectations()
  readonly #turns = new Turns()
  readonly #shown = Promise.withResolvers<void>()
  #state = emptyState
  #isReturning = false
  #isInDoubt = false

  /** Resolves when the agent has shown its conversation. */
  static async attach(place: Place, options: AttachOptions = {}): Promise<Viewer> {
    const { timeoutMs = defaultTimeoutMs, signal } = options
    signal?.throwIfAborted()
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new IpcTimeout("handshake", timeoutMs)), timeoutMs)
    const viewer = new Viewer(place, options)
    try {
      await viewer.#begin(signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]))
      return viewer
    } catch (fault) {
      viewer.#tether.leave()
      throw fault
    } finally {
      clearTimeout(timer)
    }
  }

  private constructor(place: Place, options: AttachOptions) {
    const { handshake, token, encrypted = false, onEvent } = options
    if (onEvent !== undefined) this.#audience.listen(onEvent)
    this.#tether = new Tether({ place, handshake, token, encrypted }, options, {
      hear: (heard) => this.#hear(heard),
      lost: (why, delayMs) => this.#lost(why, delayMs),
    })
    void this.#tether.ended.then((end) => this.#end(end))
  }

  get state(): ViewerState {
    return this.#state
  }

  get sessionId(): string {
    return this.#state.sessionId
  }

  /** With it one comes back to this session. */
  get token(): string | undefined {
    return this.#tether.token
  }

  get isConnected(): boolean {
    return this.#tether.isConnected
  }

  /** How it ended, when no other connection follows. */
  get ended(): Promise<ViewerEnd> {
    return this.#tether.ended
  }

  /** Everything from now on. A reader that does not keep up is told of a gap. */
  events(): AsyncIterableIterator<ViewerEvent, undefined> {
    return this.#audience.reader()
  }

  /** Calls back for every message of a type, after it has changed the state. Returns what ends that. */
  on<Type extends AgentMessage["type"]>(type: Type, listener: (message: MessageOf<Type>) => void): () => void {
    return this.#audience.listen((event) => {
      if (event.kind === "message" && isOf(event.message, type)) listener(event.message)
    })
  }

  onEvent(listener: (event: ViewerEvent) => void): () => void {
    return this.#audience.listen(listener)
  }

  /** As it is. What is asked by it is answered to everybody. */
  send(message: ViewerMessage): void {
    this.#tether.send(message)
  }

  /** Words for the agent, and the turn that they begin; it may have to wait for another. */
  say(text: string, { files = [], signal }: SayOptions = {}): Turn {
    const open = this.#turns.open(text, this.#state.messages)
    const turn = new Turn(open, () => this.cancel())
    try {
      signal?.throwIfAborted()
      this.send({ type: "user_input", content: text, context_files: [...files] })
    } catch (fault) {
      open.lose(asError(fault))
      return turn
    }
    const stop = () => void turn.cancel().catch(() => {}) // how it ended is told by `done`
    signal?.addEventListener("abort", stop, { once: true })
    const leave = () => signal?.removeEventListener("abort", stop)
    open.end.then(leave, leave)
    return turn
  }

  /** Stops what runs, whoever asked for it. */
  async cancel(options?: AskOptions): Promise<void> {
    await this.#ask({ type: "cancel" }, ackOf("cancel"), options)
  }

  /** Words for the turn that runs, at its next pause; when none does they begin one. */
  async queue(text: string, options?: AskOptions): Promise<void> {
    await this.#ask({ type: "queue_message", content: text }, ackOf("queue_message", "user_input"), options)
  }

  /** The state after the agent has told everything anew. */
  async sync(options?: AskOptions): Promise<ViewerState> {
    await this.#ask({ type: "sync_request" }, aSync, options)
    return this.#state
  }

  async slash(command: string, args: readonly string[] = [], options?: AskOptions): Promise<SlashResult> {
    const name = plainName(command)
    return this.#ask({ type: "slash_command", command: name, args: [...args] }, resultOf(name), options)
  }

  async setToolMode(mode: ToolMode, options?: AskOptions): Promise<void> {
    await this.#ask({ type: "set_tool_mode", mode }, ackOf("set_tool_mode"), options)
  }

  async agents(options?: AskOptions): Promise<readonly AgentMetadata[]> {
    return this.#ask({ type: "list_agents" }, anAgentList, options)
  }

  /** Gives the session id of the new agent, which takes viewers by then. */
  async spawn(options: SpawnOptions = {}): Promise<string> {
    const { model = null, reason = null, workingDirectory = null } = options
    const wish = { type: "spawn_agent", model, reason, working_directory: workingDirectory } as const
    return (await this.#ask(wish, spawnedBy(this.sessionId, options), options)).new_session_id
  }

  /** Leaves the agent at its work. With `exitWhenDone` it ends when that is done. */
  async detach({ exitWhenDone = false }: { readonly exitWhenDone?: boolean } = {}): Promise<void> {
    await this.#leaveBy({ type: "detach", exit_when_done: exitWhenDone }, "detach")
  }

  /** Ends the agent; it is leaving when this resolves. */
  async exit(): Promise<void> {
    await this.#leaveBy({ type: "exit" }, "exit")
  }

  /** Leaves. Nothing changes for the agent. */
  async close(): Promise<ViewerEnd> {
    if (this.isConnected) await this.#leaveBy({ type: "disconnect" }, "disconnect").catch(() => {}) // it is gone
    this.#tether.leave()
    return this.ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #begin(signal: AbortSignal): Promise<void> {
    await this.#tether.begin(signal)
    const given = Promise.withResolvers<never>()
    const giveUp = () => given.reject(signal.reason)
    signal.addEventListener("abort", giveUp, { once: true })
    try {
      await Promise.race([this.#shown.promise, given.promise])
    } finally {
      signal.removeEventListener("abort", giveUp)
    }
  }

  #ask<Answer>(message: ViewerMessage, expected: Expected<Answer>, options?: AskOptions): Promise<Answer> {
    const answer = this.#expectations.wait(expected, options)
    answer.catch(() => {}) // told to whoever asked
    this.send(message)
    return answer
  }

  /** An agent may not hear somebody who closes at once: reading goes on until it has answered, or closed itself. */
  async #leaveBy(message: ViewerMessage, command: string): Promise<void> {
    const answer = (heard: AgentMessage) =>
      heard.type === "exiting" || (heard.type === "ack" && heard.command === command) ? true : undefined
    const answered = this.#ask(message, { command, answer }, { timeoutMs: leaveMs })
    try {
      await Promise.race([answered, this.#tether.closed()])
    } finally {
      this.#tether.leave()
    }
  }

  #hear(heard: Heard): void {
    if (heard.kind === "notice") return this.#audience.tell(heard, heard.what.length)
    if (this.#isReturning) this.#returned()
    const { message, weight } = heard
    if (endsGreeting(this.#state, message)) this.#turns.greeted()
    this.#state = foldState(this.#state, message)
    this.#turns.hear(message)
    this.#expectations.hear(message)
    if (message.type === "conversation_sync") this.#isShown()
    if (message.type === "exiting") this.#tether.exits(message.reason)
    this.#doubt(message)
    this.#audience.tell({ kind: "message", message }, weight)
  }

  /** Only a sync says whether a turn is over: some agents do not end one that failed, and after a loss one may be gone.
   *  It is asked for once, whatever comes in its place. */
  #doubt(message: AgentMessage): void {
    const hasFailed = message.type === "error" && !message.fatal && this.#turns.mayHaveFailed
    const mayBeGone = message.type === "stream_end" && this.#turns.hasDoubtful
    if (this.#isInDoubt || !(hasFailed || mayBeGone) || !this.isConnected) return
    this.#isInDoubt = true
    this.#tether.send({ type: "sync_request" })
  }

  #isShown(): void {
    this.#isInDoubt = false
    this.#tether.proved()
    this.#shown.resolve()
  }

  #returned(): void {
    this.#isReturning = false
    this.#turns.reattached()
    this.#audience.tell({ kind: "reattached" }, 0)
  }

  #lost(why: string, delayMs: number | undefined): void {
    this.#isReturning = true
    this.#expectations.fail(new IpcLost(why))
    this.#audience.tell({ kind: "lost", why, delayMs }, why.length)
  }

  #end(end: ViewerEnd): void {
    const fault = end.kind === "lost" ? end.fault : end.kind === "closed" ? new IpcClosed() : new IpcLost(end.reason)
    this.#shown.reject(fault)
    this.#shown.promise.catch(() => {}) // told to whoever attaches
    this.#expectations.fail(fault)
    this.#turns.fail(fault)
    this.#audience.end()
  }
}
