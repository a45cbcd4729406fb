// A client of the house wire: the other end of a host's control socket or of a server's `/house`, and what
// `turnhouse/house` gives to other programs. It is the same port as a house in this process, so whoever uses it need not know where a session lives.
// It does not connect again by itself: when the host goes, everything that waits is refused with `host.gone`, and a
// handle's cursor says from where to go on.
import type { SessionCommand } from "../../contract/commands.ts"
import type { Answered, HostPort, SendOutcome, Watcher } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { HostQuery } from "../../contract/queries.ts"
import { describeRefusal } from "../../contract/describe-refusal.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { SessionOptions, ShellEnvironment } from "../../contract/session-options.ts"
import type { JsonValue, Who } from "../../contract/values.ts"
import type { ClientFrame, HostFrame } from "../../protocols/house/frames.ts"
import { decodeHostFrame, tooLong } from "../../protocols/house/codec.ts"
import { houseLimits } from "../../protocols/house/limits.ts"
import type { Line } from "../../transports/framing/lines.ts"
import type { LineConnection, OnConnection } from "../../transports/line-connection.ts"
import { connectToSocket } from "../../transports/unix-socket.ts"
import { connectToWebSocket } from "../../transports/websocket-lines.ts"
import { Greeting, type HostGreeting } from "./handshake.ts"
import { itemOf, refusalIn, type ToldFrame } from "./read-item.ts"
import { memberOf, numberIn, textIn } from "../../protocols/house/members.ts"
import { RemoteHandle } from "./remote-handle.ts"
import { Requests } from "./requests.ts"
import { Watching, type Viewer } from "./session-watch.ts"

export type { SessionCommand } from "../../contract/commands.ts"
export type { Answered, SendOutcome, Watcher, WatchItem } from "../../contract/host-port.ts"
export type { SessionId } from "../../contract/ids.ts"
export type { HostQuery } from "../../contract/queries.ts"
export { describeRefusal } from "../../contract/describe-refusal.ts"
export type { Refusal } from "../../contract/refusals.ts"
export type { SessionOptions, ShellEnvironment } from "../../contract/session-options.ts"
export type { HostGreeting } from "./handshake.ts"
export { RemoteHandle } from "./remote-handle.ts"

export interface ConnectOptions {
  /** What this program calls itself: whoever watches the same session is shown it. At most 40 characters. */
  readonly door?: string
  /** What opens a server's `/house`: its owner's key, one of a link, or a token. The socket of a host needs none. */
  readonly key?: string
  /** How long the host may take to say hello. Default: 5 seconds. */
  readonly patienceMs?: number
}

export type OpenedRemote =
  | { readonly kind: "opened"; readonly handle: RemoteHandle }
  | { readonly kind: "refused"; readonly refusal: Refusal }

/** `seq` is the cursor of the snapshot; `leave` ends the watching. */
export type Joined =
  | { readonly kind: "joined"; readonly seq: number; readonly leave: () => void }
  | { readonly kind: "refused"; readonly refusal: Refusal }

const gone: Refusal = { code: "host.gone" }
const greetingMs = 5000
const goodbyeMs = 1000

/**
 * Sessions of another process of this user.
 *
 *     const house = await HouseClient.connect(join(home, "hosts", "HOST.sock"), { door: "my-script" })
 *     const opened = await house.create({ cwd: process.cwd(), origin: "my-script" })
 *     if (opened.kind === "refused") throw new Error(describeRefusal(opened.refusal))
 *     await opened.handle.watch(0, (item) => console.log(item))
 *     await opened.handle.send({ type: "prompt", promptId: `prm_${randomUUID()}`, text: "Hello", ifBusy: "wait" })
 *
 * A refusal is a value; what is thrown is a fault. Watchers are called in order and must not wait.
 */
export class HouseClient implements HostPort {
  readonly #greeting = new Greeting()
  readonly #requests = new Requests((frame) => this.#write(frame))
  readonly #watching = new Map<SessionId, Watching>()
  readonly #closed = Promise.withResolvers<Refusal>()
  #connection: LineConnection | undefined
  #host: HostGreeting | undefined
  #lastWords: Refusal | undefined

  /**
   * To the socket of a host by its path, or to a server by its address: `ws://127.0.0.1:8787/house`, with a key, which
   * may stand in the address as `turnhouse link` prints it. Throws
   * when nobody listens there, and `HouseRefused` when the host does not want to speak with us.
   */
  static async connect(place: string, options: ConnectOptions = {}): Promise<HouseClient> {
    const [address = "", keyInAddress] = place.split("#key=")
    const { door = "house", key = keyInAddress, patienceMs = greetingMs } = options
    const client = new HouseClient()
    const connection = await connectTo(address, () => (line) => client.#receive(line))
    client.#connection = connection
    void connection.closed.then(() => client.#lose())
    const patience = setTimeout(() => connection.destroy(), patienceMs)
    const reply = await client.#greeting.say((frame) => client.#write(frame), { door, key })
    clearTimeout(patience)
    if (reply.kind === "hello") {
      client.#host = reply.host
      return client
    }
    connection.destroy()
    throw new HouseRefused(reply.refusal)
  }

  /** What the host said of itself: its id, role, release and process. */
  get host(): HostGreeting | undefined {
    return this.#host
  }

  /** Resolves when the connection is over, with the host's last word about it or `host.gone`. */
  get closed(): Promise<Refusal> {
    return this.#closed.promise
  }

  /** The host opens the session if it can. Who we are was said when we connected; only hosts speak for somebody else. */
  async open(sessionId: SessionId, who?: Who, env?: ShellEnvironment): Promise<OpenedRemote> {
    const answered = await this.#requests.ask((id) => ({ type: "open", id, sessionId, quiet: true, env, who }))
    return answered.kind === "refused" ? answered : this.#remote(sessionId, who, env)
  }

  /** A new session. What the wish leaves out comes from the configuration that counts in its folder. */
  async create(wish: SessionOptions, who?: Who, env?: ShellEnvironment): Promise<OpenedRemote> {
    const answered = await this.#requests.ask((id) => ({ type: "create", id, wish, env, who }))
    return answered.kind === "refused" ? answered : this.#remote(textIn(answered.value, "sessionId"), who, env)
  }

  /** Changes nothing and opens nothing. docs/house-wire.md says what the answers hold. */
  query(query: HostQuery): Promise<Answered> {
    return this.#requests.ask((id) => ({ type: "query", id, query }))
  }

  /** Accepted means: on disk. A prompt whose answer was lost can be sent again with the same id. */
  async send(sessionId: SessionId, command: SessionCommand, who?: Who): Promise<SendOutcome> {
    const answered = await this.#requests.ask((id) => ({ type: "send", id, sessionId, command, who }))
    return answered.kind === "refused" ? answered : { kind: "accepted", seq: numberIn(answered.value, "seq") }
  }

  /** Everything after the cursor, first what is stored, then live. `streamed` replaces what its step had said before:
   *  it comes when one joins in the middle, and after deltas were left out because this side did not keep up. */
  async watch(sessionId: SessionId, cursor: number, watcher: Watcher, env?: ShellEnvironment): Promise<() => void> {
    const viewer = { cursor, watcher }
    const watching = this.#watchingOf(sessionId)
    watching.add(viewer)
    const opening = watching.begin()
    await this.#requests.ask(
      (id) => ({ type: "open", id, sessionId, cursor: watching.cursor, env }),
      (answered) => this.#opened(sessionId, watching, opening, answered),
    )
    return () => this.#leave(sessionId, watching, viewer)
  }

  /** A snapshot of the newest turns and everything after it, in one step. `begin` gets the snapshot (the answer of the
   *  query `transcript`) and gives the watcher for what follows. */
  async join(sessionId: SessionId, turns: number, begin: (snapshot: JsonValue) => Watcher): Promise<Joined> {
    if (this.#watching.has(sessionId)) return this.#joinBeside(sessionId, turns, begin)
    const viewer: Viewer = { cursor: 0, watcher: () => {} }
    const watching = this.#watchingOf(sessionId)
    watching.add(viewer)
    const opening = watching.begin()
    const leave = () => this.#leave(sessionId, watching, viewer)
    const asking = this.#requests.ask(
      (id) => ({ type: "open", id, sessionId, snapshot: { turns } }),
      (answer) => {
        if (answer.kind === "answer") {
          viewer.cursor = numberIn(answer.value, "seq")
          viewer.watcher = begin(memberOf(answer.value, "snapshot") ?? null)
        }
        this.#opened(sessionId, watching, opening, answer)
      },
    )
    asking.catch(leave) // nobody took the snapshot up
    const answered = await asking
    if (answered.kind === "refused") return answered
    const seq = numberIn(answered.value, "seq")
    return { kind: "joined", seq, leave }
  }

  /** Ends the connection. What waits is refused, watchers are told that it is over. */
  close(): void {
    this.#connection?.end()
    const deadline = setTimeout(() => this.#connection?.destroy(), goodbyeMs) // a frozen host says no goodbye
    void this.closed.then(() => clearTimeout(deadline))
  }

  #remote(sessionId: SessionId, who?: Who, env?: ShellEnvironment): OpenedRemote {
    return { kind: "opened", handle: new RemoteHandle(this, sessionId, who, env) }
  }

  /** Another watcher here goes on as before: the host is asked to begin where that one is, if it is behind. */
  async #joinBeside(sessionId: SessionId, turns: number, begin: (snapshot: JsonValue) => Watcher): Promise<Joined> {
    const taken = await this.query({ type: "transcript", sessionId, turns })
    if (taken.kind === "refused") return taken
    const seq = numberIn(taken.value, "seq")
    return { kind: "joined", seq, leave: await this.watch(sessionId, seq, begin(taken.value)) }
  }

  #opened(sessionId: SessionId, watching: Watching, opening: number, answered: Answered): void {
    if (!watching.isNewest(opening)) return // the answer to the newest decides for all
    if (answered.kind === "answer") watching.opened()
    else this.#end(sessionId, watching, answered.refusal)
  }

  #watchingOf(sessionId: SessionId): Watching {
    const known = this.#watching.get(sessionId)
    if (known !== undefined) return known
    const watching = new Watching()
    this.#watching.set(sessionId, watching)
    return watching
  }

  #leave(sessionId: SessionId, watching: Watching, viewer: Viewer): void {
    watching.remove(viewer)
    if (!watching.isEmpty || this.#watching.get(sessionId) !== watching) return
    this.#watching.delete(sessionId)
    this.#write({ type: "close", sessionId })
  }

  /** The host would not know to which request a line belongs that it does not read. */
  #write(frame: ClientFrame): void {
    const line = JSON.stringify(frame)
    const bytes = Buffer.byteLength(line)
    if (bytes <= houseLimits.lineBytes) return this.#connection?.send(line)
    const refusal: Refusal = { code: "frame.bad", what: tooLong(bytes) }
    if ("id" in frame) this.#requests.settle(frame.id, { kind: "refused", refusal })
  }

  /** A frame of a kind that is not known here comes from a newer host and is left out. */
  #receive(line: Line): void {
    if (line.kind !== "line") return this.#connection?.destroy() // it may have been an answer that somebody waits for
    const received = decodeHostFrame(line.text)
    if (received.kind === "frame") this.#handle(received.frame)
  }

  #handle(frame: HostFrame): void {
    switch (frame.type) {
      case "hello": {
        const { type: _, ...host } = frame
        return this.#greeting.hear({ kind: "hello", host })
      }
      case "answer":
        return this.#requests.settle(frame.id, { kind: "answer", value: frame.value })
      case "refused":
        return this.#refused(frame.id, refusalIn(frame.refusal))
      case "event":
      case "delta":
      case "streamed":
      case "closed":
        return this.#tell(frame)
      case "gap":
        return // what was left out comes from the log, and the text so far by `streamed`
    }
  }

  #refused(id: string | undefined, refusal: Refusal): void {
    if (id !== undefined) return this.#requests.settle(id, { kind: "refused", refusal })
    this.#lastWords = refusal
    this.#greeting.hear({ kind: "refused", refusal })
  }

  #tell(frame: ToldFrame): void {
    const watching = this.#watching.get(frame.sessionId)
    const item = itemOf(frame)
    if (watching?.isOpen !== true || item === undefined) return
    if (item.kind !== "lost") return watching.tell(item)
    if (frame.type !== "closed") this.#write({ type: "close", sessionId: frame.sessionId })
    this.#end(frame.sessionId, watching, item.refusal)
  }

  #end(sessionId: SessionId, watching: Watching, refusal: Refusal): void {
    if (this.#watching.get(sessionId) === watching) this.#watching.delete(sessionId)
    watching.lose(refusal)
  }

  #lose(): void {
    this.#greeting.lose(gone)
    this.#requests.lose({ kind: "refused", refusal: gone })
    for (const [sessionId, watching] of this.#watching) this.#end(sessionId, watching, gone)
    this.#closed.resolve(this.#lastWords ?? gone)
  }
}

function connectTo(place: string, onConnection: OnConnection): Promise<LineConnection> {
  if (/^wss?:\/\//.test(place)) return connectToWebSocket(place, onConnection)
  return connectToSocket(place, houseLimits.lineBytes, onConnection)
}

/** The host said no to our hello. */
export class HouseRefused extends Error {
  override readonly name = "HouseRefused"
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(describeRefusal(refusal))
    this.refusal = refusal
  }
}
