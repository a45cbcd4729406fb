// The house wire on one connection: frames in, the House port asked, answers out as they are ready. Commands to one
// session reach it in the order in which they came. What happens in open sessions is told by `Watched`, and how much
// may wait for a client is the outbox's business. Where a key is needed, what it opens is a port of its own, and it is
// looked at again with every frame.
import type { HostPort, OpenedHandle } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { ShellEnvironment } from "../../contract/session-options.ts"
import type { JsonValue, Who } from "../../contract/values.ts"
import type { ClientFrame } from "../../protocols/house/frames.ts"
import { commandIn, maxLineBytes, queryIn, receiveFromClient, tooLong } from "../../protocols/house/receive.ts"
import { isSpoken, notSpoken } from "../../protocols/house/versions.ts"
import type { Line } from "../../transports/framing/lines.ts"
import type { LineConnection } from "../../transports/line-connection.ts"
import { type Admits, listenOnSocket, type LineListener } from "../../transports/unix-socket.ts"
import { doorLimits, type DoorLimits } from "./limits.ts"
import { numberIn } from "../../protocols/house/members.ts"
import { Outbox } from "./outbox.ts"
import { Watched } from "./watched.ts"

/** What a key opens, and for whom. */
export interface Pass {
  readonly principal: string
  readonly port: HostPort
  /** False once it has run out or was called back. */
  isGood(): boolean
}

export interface HouseDoorOptions {
  readonly port: HostPort
  /** Whose door this is. A client may name itself in its hello; that name takes the place of `door`. */
  readonly by: Who
  /** Where not everybody who gets here may come in: who has which key. */
  readonly admit?: (key: string | undefined) => Promise<Pass | undefined>
  readonly host: string
  readonly role: string
  readonly release: string
  readonly limits?: Partial<DoorLimits>
}

type FrameOf<Type extends ClientFrame["type"]> = Extract<ClientFrame, { type: Type }>

/** A door on a Unix socket that only this user can open. */
export function openHouseDoor(path: string, admits: Admits, options: HouseDoorOptions): Promise<LineListener> {
  return listenOnSocket(path, maxLineBytes, admits, (connection) => {
    const door = new HouseDoor(connection, options)
    return (line) => door.receive(line)
  })
}

export class HouseDoor {
  readonly #connection: LineConnection
  readonly #options: HouseDoorOptions
  readonly #limits: DoorLimits
  readonly #outbox: Outbox
  readonly #watched = new Map<SessionId, Watched>()
  readonly #opening = new Map<SessionId, Promise<OpenedHandle>>()
  #by: Who
  #port: HostPort
  #pass: Pass | undefined
  #greeting: "wanted" | "under way" | "done" = "wanted"
  #isGone = false
  #underWay = 0

  constructor(connection: LineConnection, options: HouseDoorOptions) {
    this.#connection = connection
    this.#options = options
    this.#limits = { ...doorLimits, ...options.limits }
    this.#outbox = new Outbox(connection, this.#limits)
    this.#by = options.by
    this.#port = options.port
    const deadline = options.admit === undefined ? undefined : setTimeout(() => this.#tooLate(), this.#limits.helloMs)
    const looking = options.admit === undefined ? undefined : setInterval(() => this.#look(), this.#limits.keyLookMs)
    void connection.closed.then(() => clearTimeout(deadline))
    void connection.closed.then(() => clearInterval(looking))
    void connection.closed.then(() => this.#leaveAll())
  }

  receive(line: Line): void {
    if (this.#outbox.isCut || !this.#look()) return
    if (line.kind !== "line") return this.#bad(undefined, lineProblem(line))
    if (line.text.trim() === "") return
    const received = receiveFromClient(line.text)
    if (received.kind === "bad") return this.#bad(received.id, received.what)
    const { frame } = received
    const id = "id" in frame ? frame.id : undefined
    if (frame.type === "hello") return this.#greet(frame)
    if (this.#greeting !== "done") return this.#bad(id, "say hello first")
    if (frame.type === "close") return this.#leave(frame.sessionId)
    this.#begin()
    this.#handle(frame)
      .catch((fault: unknown) => this.#bad(id, `the host could not do that: ${String(fault)}`))
      .finally(() => this.#end())
  }

  #greet(hello: FrameOf<"hello">): void {
    if (this.#greeting !== "wanted") return this.#bad(undefined, "hello was said already")
    if (!isSpoken(hello.version)) return this.#bad(undefined, notSpoken(hello.version))
    const { admit } = this.#options
    if (admit === undefined) return this.#welcome(hello)
    this.#greeting = "under way"
    const failed = (fault: unknown) => this.#outbox.cutOff({ code: "frame.bad", what: String(fault) })
    admit(hello.key).then((pass) => this.#letIn(hello, pass), failed)
  }

  #letIn(hello: FrameOf<"hello">, pass: Pass | undefined): void {
    if (pass === undefined) return this.#outbox.cutOff(badKey)
    this.#pass = pass
    this.#port = pass.port
    this.#by = { ...this.#by, principal: pass.principal }
    this.#welcome(hello)
  }

  #welcome({ version, door }: FrameOf<"hello">): void {
    const { host, role, release } = this.#options
    this.#greeting = "done"
    if (door !== undefined && door !== "") this.#by = { ...this.#by, door }
    this.#outbox.say({ type: "hello", version, host, role, release, pid: process.pid })
  }

  #tooLate(): void {
    if (this.#greeting === "wanted") this.#outbox.cutOff({ code: "frame.bad", what: "no hello came in time" })
  }

  /** A key that is not good any more is told nothing more. */
  #look(): boolean {
    if (this.#pass === undefined || this.#pass.isGood()) return true
    this.#leaveAll()
    this.#outbox.cutOff(badKey)
    return false
  }

  #handle(frame: Exclude<ClientFrame, { type: "hello" | "close" }>): Promise<void> {
    switch (frame.type) {
      case "query":
        return this.#query(frame)
      case "open":
        return this.#open(frame)
      case "create":
        return this.#create(frame)
      case "send":
        return this.#send(frame)
    }
  }

  async #query({ id, query }: FrameOf<"query">): Promise<void> {
    const checked = queryIn(query)
    if (checked.kind === "bad") return this.#bad(id, checked.what)
    const answered = await this.#port.query(checked.value)
    if (answered.kind === "refused") this.#refuse(id, answered.refusal)
    else this.#answer(id, answered.value)
  }

  async #open(frame: FrameOf<"open">): Promise<void> {
    const { id, sessionId, cursor, snapshot, env } = frame
    if (frame.quiet === true) return this.#openQuietly(frame)
    const watched = this.#watch(sessionId, env)
    const opened = await this.#handleFor(sessionId, env)
    if (opened.kind === "refused") return this.#notOpened(id, watched, opened.refusal)
    if (snapshot === undefined) {
      this.#answer(id, { sessionId, seq: cursor ?? 0 })
      return watched.follow(opened.handle, cursor ?? 0)
    }
    const taken = await this.#port.query({ type: "transcript", sessionId, turns: snapshot.turns })
    if (taken.kind === "refused") return this.#notOpened(id, watched, taken.refusal)
    const seq = numberIn(taken.value, "seq")
    this.#answer(id, { sessionId, seq, snapshot: taken.value })
    return watched.follow(opened.handle, seq)
  }

  async #openQuietly({ id, sessionId, env, who }: FrameOf<"open">): Promise<void> {
    const opened = await this.#handleFor(sessionId, env, who)
    if (opened.kind === "refused") this.#refuse(id, opened.refusal)
    else this.#answer(id, { sessionId })
  }

  async #create({ id, wish, env, who }: FrameOf<"create">): Promise<void> {
    const opened = await this.#port.create(wish, this.#speaker(who), env)
    if (opened.kind === "refused") this.#refuse(id, opened.refusal)
    else this.#answer(id, { sessionId: opened.handle.sessionId, seq: 0 }) // nothing of it was told yet
  }

  async #send({ id, sessionId, command, who }: FrameOf<"send">): Promise<void> {
    const checked = commandIn(command)
    if (checked.kind === "bad") return this.#bad(id, checked.what)
    const opened = await this.#handleFor(sessionId, undefined, who)
    const outcome = opened.kind === "refused" ? opened : await opened.handle.send(checked.value)
    if (outcome.kind === "refused") this.#refuse(id, outcome.refusal)
    else this.#answer(id, { seq: outcome.seq })
  }

  /** One opening of a session after the other: that keeps the commands in their order. */
  #handleFor(sessionId: SessionId, env?: ShellEnvironment, who?: Who): Promise<OpenedHandle> {
    const before = this.#opening.get(sessionId)?.catch(() => {}) ?? Promise.resolve()
    const opening = before.then(() => this.#port.open(sessionId, this.#speaker(who), env))
    this.#opening.set(sessionId, opening)
    const forget = () => this.#opening.get(sessionId) === opening && this.#opening.delete(sessionId)
    opening.then(forget, forget)
    return opening
  }

  /** Only who may do everything here can say that somebody else speaks, who may do less. */
  #speaker(who: Who | undefined): Who {
    const isHost = this.#pass === undefined && this.#by.roles === undefined
    return isHost && who !== undefined ? who : this.#by
  }

  /** The newest word about a session counts: an `open` that is still under way when the next one comes tells nothing. */
  #watch(sessionId: SessionId, env: ShellEnvironment | undefined): Watched {
    this.#leave(sessionId)
    const watched: Watched = new Watched({
      sessionId,
      outbox: this.#outbox,
      reopen: () => this.#handleFor(sessionId, env),
      onStopped: () => this.#watched.get(sessionId) === watched && this.#watched.delete(sessionId),
    })
    if (this.#isGone) watched.stop()
    else this.#watched.set(sessionId, watched)
    return watched
  }

  #notOpened(id: string, watched: Watched, refusal: Refusal): void {
    watched.stop()
    this.#refuse(id, refusal)
  }

  #answer(id: string, value: JsonValue): void {
    this.#outbox.say({ type: "answer", id, value })
  }

  #refuse(id: string | undefined, refusal: Refusal): void {
    this.#outbox.say({ type: "refused", id, refusal })
  }

  #bad(id: string | undefined, what: string): void {
    this.#refuse(id, { code: "frame.bad", what })
  }

  #begin(): void {
    this.#underWay += 1
    if (this.#underWay === this.#limits.requestsAtOnce) this.#connection.pause()
  }

  #end(): void {
    this.#underWay -= 1
    if (this.#underWay === this.#limits.requestsAtOnce - 1) this.#connection.resume()
  }

  #leave(sessionId: SessionId): void {
    this.#watched.get(sessionId)?.stop()
  }

  #leaveAll(): void {
    this.#isGone = true
    for (const watched of this.#watched.values()) watched.stop()
  }
}

const badKey: Refusal = { code: "key.bad" }

function lineProblem(line: Exclude<Line, { kind: "line" }>): string {
  if (line.kind === "not-utf8") return "a line is not UTF-8"
  return tooLong(line.bytes)
}
