// Client of the native API (house wire) on any connection that carries lines, also in a browser. It is the same port as a
// host in this process. It does not reconnect: when the host is gone, pending requests are refused with `host.gone`, and
// a handle's cursor says where to continue.
import type { SessionCommand } from "../../contract/commands.ts"
import type { Answered, HostPort, SendOutcome, Watcher } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { HostCommandResults, HostCommands, HostCommandType } from "../../contract/host-commands.ts"
import type { Answers, Queries, QueryType } from "../../contract/queries.ts"
import { describeRefusal } from "../../contract/text/describe-refusal.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { SessionOptions, ShellEnvironment } from "../../contract/session-options.ts"
import type { Who } from "../../contract/values.ts"
import type { TranscriptPage } from "../../contract/views/transcript.ts"
import type { ClientFrame, HostFrame } from "../../protocols/house/frames.ts"
import { decodeHostFrame, tooLong, memberOf, numberIn, textIn } from "../../protocols/house/codec.ts"
import { houseLimits } from "../../protocols/house/limits.ts"
import type { Line } from "../../transports/framing/lines.ts"
import type { LineConnection, OnConnection } from "../../transports/line-connection.ts"
import { Fault } from "../base/fault.ts"
import { Handshake, type HostGreeting } from "./handshake.ts"
import { readItem, readRefusal, type WatchFrame } from "./read-item.ts"
import { RemoteHandle } from "./remote-handle.ts"
import { Requests } from "./requests.ts"
import { SessionWatch, type WatchEntry } from "./session-watch.ts"

export interface ConnectOptions {
  /** Name of this program, shown to other clients of a session. At most 40 characters. */
  readonly door?: string
  /** For a server: the owner's key, the key of a share link, or a token. The socket of a host needs none. */
  readonly key?: string
  /** Timeout of the handshake in milliseconds. Default: 5000. */
  readonly patienceMs?: number
}

export type OpenedRemote =
  | { readonly kind: "opened"; readonly handle: RemoteHandle }
  | { readonly kind: "refused"; readonly refusal: Refusal }

/** `seq` is the cursor of the snapshot; `leave` ends the watch. */
export type Joined =
  | { readonly kind: "joined"; readonly seq: number; readonly leave: () => void }
  | { readonly kind: "refused"; readonly refusal: Refusal }

const gone: Refusal = { code: "host.gone" }
const HANDSHAKE_MS = 5000
const CLOSE_MS = 1000

/** A refusal is a value; only faults are thrown. Watchers are called in order and must not block. */
export class LineClient implements HostPort {
  readonly #handshake = new Handshake()
  readonly #requests = new Requests((frame) => this.#write(frame))
  readonly #watches = new Map<SessionId, SessionWatch>()
  readonly #closed = Promise.withResolvers<Refusal>()
  /** Resolves when the connection is closed, with the host's reason or `host.gone`. */
  readonly closed: Promise<Refusal> = this.#closed.promise
  #connection: LineConnection | undefined
  #host: HostGreeting | undefined
  #closeReason: Refusal | undefined

  /** Throws what `connectLines` throws, and `HouseRefused` when the host refuses the handshake. */
  static async over<Client extends LineClient>(
    this: new () => Client,
    connectLines: (onConnection: OnConnection) => Promise<LineConnection>,
    { door = "house", key, patienceMs = HANDSHAKE_MS }: ConnectOptions = {},
  ): Promise<Client> {
    const client = new this()
    const connection = await connectLines(() => (line) => client.#receive(line))
    client.#connection = connection
    void connection.closed.then(() => client.#handleClose())
    const timer = setTimeout(() => connection.destroy(), patienceMs)
    const reply = await client.#handshake.run((frame) => client.#write(frame), { door, key })
    clearTimeout(timer)
    if (reply.kind === "hello") {
      client.#host = reply.host
      return client
    }
    connection.destroy()
    throw new HouseRefused(reply.refusal)
  }

  /** The host's id, role, release and process. */
  get host(): HostGreeting | undefined {
    return this.#host
  }

  /** The connection identifies the caller; only hosts set `who` for another one. */
  async open(sessionId: SessionId, who?: Who, env?: ShellEnvironment): Promise<OpenedRemote> {
    const answered = await this.#requests.send((id) => ({ type: "open", id, sessionId, quiet: true, env, who }))
    return answered.kind === "refused" ? answered : this.#remote(sessionId, who, env)
  }

  /** Creates a session. Options that are left out come from the configuration of its folder. */
  async create(options: SessionOptions, who?: Who, env?: ShellEnvironment): Promise<OpenedRemote> {
    const answered = await this.#requests.send((id) => ({ type: "create", id, wish: options, env, who }))
    return answered.kind === "refused" ? answered : this.#remote(textIn(answered.value, "sessionId"), who, env)
  }

  /** docs/house-wire.md describes the answers. */
  async query<Type extends QueryType>(
    query: Queries[Type] & { readonly type: Type },
  ): Promise<Answered<Answers[Type]>> {
    return this.#ask(query, (checks) => checks[query.type])
  }

  /** Changes something that no log of a session stores: locks, commands of files and extensions. */
  async perform<Type extends HostCommandType>(
    command: HostCommands[Type] & { readonly type: Type },
  ): Promise<Answered<HostCommandResults[Type]>> {
    return this.#ask(command, (checks) => checks[command.type])
  }

  /** Accepted means stored. A prompt whose answer was lost can be sent again with the same id. */
  async send(sessionId: SessionId, command: SessionCommand, who?: Who): Promise<SendOutcome> {
    const answered = await this.#requests.send((id) => ({ type: "send", id, sessionId, command, who }))
    return answered.kind === "refused" ? answered : { kind: "accepted", seq: numberIn(answered.value, "seq") }
  }

  /** Everything after the cursor: stored events, then live ones; resolves when live. `streamed` replaces the text of its step so far: it is
   *  sent to a client that joins mid-turn, and after deltas were dropped because the client was slow. */
  async watch(sessionId: SessionId, cursor: number, watcher: Watcher, env?: ShellEnvironment): Promise<() => void> {
    const entry = { cursor, watcher }
    const watch = this.#watchOf(sessionId)
    watch.add(entry)
    const opening = watch.startOpening()
    await this.#requests.send(
      (id) => ({ type: "open", id, sessionId, cursor: watch.cursor, live: true, env }),
      (answered) => this.#handleOpened(sessionId, watch, opening, answered),
    )
    await watch.live
    return () => this.#leave(sessionId, watch, entry)
  }

  /** A snapshot of the newest turns and everything after it, in one step. `begin` gets the snapshot (the answer to the
   *  query `transcript`) and returns the watcher for what follows. */
  async join(sessionId: SessionId, turns: number, begin: (snapshot: TranscriptPage) => Watcher): Promise<Joined> {
    if (this.#watches.has(sessionId)) return this.#joinWatched(sessionId, turns, begin)
    const checks = await answerChecks() // before the request: the answer is processed as soon as it is read
    const entry: WatchEntry = { cursor: 0, watcher: () => {} }
    const watch = this.#watchOf(sessionId)
    watch.add(entry)
    const opening = watch.startOpening()
    const leave = () => this.#leave(sessionId, watch, entry)
    const request = this.#requests.send(
      (id) => ({ type: "open", id, sessionId, snapshot: { turns } }),
      (answer) => {
        if (answer.kind === "answer") {
          const snapshot = memberOf(answer.value, "snapshot")
          if (!checks.transcript(snapshot)) throw new HouseRefused(unknownForm("transcript").refusal)
          entry.cursor = snapshot.seq
          entry.watcher = begin(snapshot)
        }
        this.#handleOpened(sessionId, watch, opening, answer)
      },
    )
    request.catch(leave) // `begin` has thrown
    const answered = await request
    if (answered.kind === "refused") return answered
    const seq = numberIn(answered.value, "seq")
    return { kind: "joined", seq, leave }
  }

  /** Closes the connection. Pending requests are refused, watchers get `lost`. */
  close(): void {
    this.#connection?.end()
    const deadline = setTimeout(() => this.#connection?.destroy(), CLOSE_MS) // a frozen host does not close
    void this.closed.then(() => clearTimeout(deadline))
  }

  /** The check of the answer is loaded while the request is on its way. */
  async #ask<Value>(
    query: { readonly type: QueryType | HostCommandType },
    checkIn: (checks: AnswerChecks) => (value: unknown) => value is Value,
  ): Promise<Answered<Value>> {
    const sent = this.#requests.send((id) => ({ type: "query", id, query }))
    const [answered, checks] = await Promise.all([sent, answerChecks()])
    if (answered.kind === "refused") return answered
    return checkIn(checks)(answered.value) ? { kind: "answer", value: answered.value } : unknownForm(query.type)
  }

  #remote(sessionId: SessionId, who?: Who, env?: ShellEnvironment): OpenedRemote {
    return { kind: "opened", handle: new RemoteHandle(this, sessionId, who, env) }
  }

  /** Other watchers continue: the host starts at the lowest cursor of all. */
  async #joinWatched(
    sessionId: SessionId,
    turns: number,
    begin: (snapshot: TranscriptPage) => Watcher,
  ): Promise<Joined> {
    const answer = await this.query({ type: "transcript", sessionId, turns })
    if (answer.kind === "refused") return answer
    const seq = numberIn(answer.value, "seq")
    return { kind: "joined", seq, leave: await this.watch(sessionId, seq, begin(answer.value)) }
  }

  #handleOpened(sessionId: SessionId, watch: SessionWatch, opening: number, answered: Answered<unknown>): void {
    if (!watch.isNewest(opening)) return // the answer to the newest counts for all
    if (answered.kind === "answer") watch.markOpen(memberOf(answered.value, "live") === true)
    else this.#end(sessionId, watch, answered.refusal)
  }

  #watchOf(sessionId: SessionId): SessionWatch {
    const watch = this.#watches.get(sessionId) ?? new SessionWatch()
    this.#watches.set(sessionId, watch)
    return watch
  }

  #leave(sessionId: SessionId, watch: SessionWatch, entry: WatchEntry): void {
    watch.remove(entry)
    if (!watch.isEmpty || this.#watches.get(sessionId) !== watch) return
    this.#watches.delete(sessionId)
    this.#write({ type: "close", sessionId })
  }

  /** The host cannot name the request of a line that is too long, so it is refused here. */
  #write(frame: ClientFrame): void {
    const line = JSON.stringify(frame)
    if (line.length * 3 <= houseLimits.lineBytes) return this.#connection?.send(line) // no unit takes more than 3 bytes
    const bytes = new TextEncoder().encode(line).length
    if (bytes <= houseLimits.lineBytes) return this.#connection?.send(line)
    const refusal: Refusal = { code: "frame.bad", what: tooLong(bytes) }
    if ("id" in frame) this.#requests.answer(frame.id, { kind: "refused", refusal })
  }

  /** Ignores unknown frames of newer hosts. */
  #receive(line: Line): void {
    if (line.kind !== "line") return this.#connection?.destroy() // it may have been an awaited answer
    const received = decodeHostFrame(line.text)
    if (received.kind === "frame") this.#receiveFrame(received.frame)
  }

  #receiveFrame(frame: HostFrame): void {
    switch (frame.type) {
      case "hello": {
        const { type: _, ...host } = frame
        return this.#handshake.receive({ kind: "hello", host })
      }
      case "answer":
        return this.#requests.answer(frame.id, { kind: "answer", value: frame.value })
      case "refused":
        return this.#receiveRefusal(frame.id, readRefusal(frame.refusal))
      case "event":
      case "delta":
      case "streamed":
      case "closed":
        return this.#receiveItem(frame)
      case "live":
        return this.#watches.get(frame.sessionId)?.markLive()
      case "gap":
        return // dropped events follow from the log, and the text so far as `streamed`
    }
  }

  #receiveRefusal(id: string | undefined, refusal: Refusal): void {
    if (id !== undefined) return this.#requests.answer(id, { kind: "refused", refusal })
    this.#closeReason = refusal
    this.#handshake.receive({ kind: "refused", refusal })
  }

  #receiveItem(frame: WatchFrame): void {
    const watch = this.#watches.get(frame.sessionId)
    const item = readItem(frame)
    if (watch?.isOpen !== true || item === undefined) return
    if (item.kind !== "lost") return watch.emit(item)
    if (frame.type !== "closed") this.#write({ type: "close", sessionId: frame.sessionId })
    this.#end(frame.sessionId, watch, item.refusal)
  }

  #end(sessionId: SessionId, watch: SessionWatch, refusal: Refusal): void {
    if (this.#watches.get(sessionId) === watch) this.#watches.delete(sessionId)
    watch.end(refusal)
  }

  #handleClose(): void {
    this.#handshake.close(gone)
    this.#requests.close({ kind: "refused", refusal: gone })
    for (const [sessionId, watch] of this.#watches) this.#end(sessionId, watch, gone)
    this.#closed.resolve(this.#closeReason ?? gone)
  }
}

type AnswerChecks = Awaited<ReturnType<typeof answerChecks>>

/** Loaded with the first query, so that it costs no time at start. */
async function answerChecks() {
  return (await import("../../contract/generated/answers.js")).checks
}

function unknownForm(type: QueryType | HostCommandType) {
  const what = `the host answers '${type}' in a form that this release does not know. Use the same release on both sides.`
  return { kind: "refused", refusal: { code: "host.unreachable", what } } as const
}

/** The host refused the handshake. */
export class HouseRefused extends Fault {
  override readonly name = "HouseRefused"
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(describeRefusal(refusal))
    this.refusal = refusal
  }
}
