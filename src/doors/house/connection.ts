// One connection of the house wire: frames in, the port asked, replies out as they are ready. Commands to one session
// reach it in the order in which they arrive. Where a key is needed, it opens a port of its own, and it is checked again
// with every frame.
import type { HostPort, OpenedHandle, SessionHandle, WatchItem } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { ShellEnvironment } from "../../contract/session-options.ts"
import type { Role, Who } from "../../contract/values.ts"
import { checkedCommand, checkedQuery, decodeClientFrame, encodeItem, tooLong } from "../../protocols/house/codec.ts"
import { badFrame } from "../../protocols/house/errors.ts"
import type { ClientFrame } from "../../protocols/house/frames.ts"
import { houseLimits, type HouseLimits, versionProblem } from "../../protocols/house/limits.ts"
import type { Line } from "../../transports/framing/lines.ts"
import type { LineConnection } from "../../transports/line-connection.ts"
import { SessionWatch } from "../core/session-watch.ts"
import { ClientOutbox } from "./client-outbox.ts"

/** What a key opens, and for which principal. */
export interface Pass {
  readonly principal: string
  /** Absent for the owner, who has all of them. */
  readonly roles?: readonly Role[] | undefined
  readonly port: HostPort
  /** False once the key has expired or was revoked. */
  isValid(): boolean
}

export interface HouseDoorOptions {
  readonly port: HostPort
  /** Who owns the door. The name that a client gives itself in its hello replaces `door`. */
  readonly by: Who
  /** Where a key is needed: what it opens, undefined where it opens nothing. */
  readonly admit?: (key: string | undefined) => Promise<Pass | undefined>
  readonly host: string
  readonly role: string
  readonly release: string
  readonly limits?: Partial<HouseLimits>
}

type FrameOf<Type extends ClientFrame["type"]> = Extract<ClientFrame, { type: Type }>

export class HouseConnection {
  readonly #connection: LineConnection
  readonly #options: HouseDoorOptions
  readonly #limits: HouseLimits
  readonly #outbox: ClientOutbox
  readonly #watches = new Map<SessionId, SessionWatch>()
  readonly #opening = new Map<SessionId, Promise<OpenedHandle>>()
  #by: Who
  #port: HostPort
  #pass: Pass | undefined
  #greeting: "missing" | "in progress" | "done" = "missing"
  #isClosed = false
  #requests = 0

  constructor(connection: LineConnection, options: HouseDoorOptions) {
    this.#connection = connection
    this.#options = options
    this.#limits = { ...houseLimits, ...options.limits }
    this.#outbox = new ClientOutbox(connection, this.#limits)
    this.#by = options.by
    this.#port = options.port
    const { helloMs, keyCheckMs } = this.#limits
    const deadline = options.admit === undefined ? undefined : setTimeout(() => this.#helloTimeout(), helloMs)
    const check = options.admit === undefined ? undefined : setInterval(() => this.#checkKey(), keyCheckMs)
    void connection.closed.then(() => {
      clearTimeout(deadline)
      clearInterval(check)
      return this.#leaveAll()
    })
  }

  receive(line: Line): void {
    if (this.#outbox.isDisconnected || !this.#checkKey()) return
    if (line.kind !== "line") return this.#bad(undefined, lineProblem(line))
    if (line.text.trim() === "") return
    const decoded = decodeClientFrame(line.text)
    if (decoded.kind === "bad") return this.#bad(decoded.id, decoded.problem)
    const { frame } = decoded
    const id = "id" in frame ? frame.id : undefined
    if (frame.type === "hello") return this.#greet(frame)
    if (this.#greeting !== "done") return this.#bad(id, "send hello first")
    if (frame.type === "close") return this.#leave(frame.sessionId)
    this.#begin()
    this.#handle(frame)
      .catch((fault: unknown) => this.#bad(id, `the host could not do that: ${String(fault)}`))
      .finally(() => this.#end())
  }

  #greet(hello: FrameOf<"hello">): void {
    if (this.#greeting !== "missing") return this.#bad(undefined, "hello was already sent")
    const problem = versionProblem(hello.version)
    if (problem !== undefined) return this.#bad(undefined, problem)
    const { admit } = this.#options
    if (admit === undefined) return this.#welcome(hello)
    this.#greeting = "in progress"
    const failed = (fault: unknown) => this.#outbox.disconnect(badFrame(String(fault)))
    admit(hello.key).then((pass) => this.#admitted(hello, pass), failed)
  }

  #admitted(hello: FrameOf<"hello">, pass: Pass | undefined): void {
    if (pass === undefined) return this.#outbox.disconnect(badKey)
    this.#pass = pass
    this.#port = pass.port
    this.#by = { ...this.#by, principal: pass.principal }
    this.#welcome(hello)
  }

  #welcome({ version, door }: FrameOf<"hello">): void {
    const { host, role, release } = this.#options
    this.#greeting = "done"
    if (door !== undefined && door !== "") this.#by = { ...this.#by, door }
    const roles = this.#pass?.roles
    const own = { principal: this.#by.principal, ...(roles === undefined ? {} : { roles: [...roles] }) }
    this.#outbox.reply({ type: "hello", version, host, role, release, pid: process.pid, ...own })
  }

  #helloTimeout(): void {
    if (this.#greeting === "missing") this.#outbox.disconnect(badFrame("no hello came in time"))
  }

  /** A client whose key is not valid any more gets nothing more. */
  #checkKey(): boolean {
    if (this.#pass === undefined || this.#pass.isValid()) return true
    this.#leaveAll()
    this.#outbox.disconnect(badKey)
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
    const checked = checkedQuery(query)
    if (checked.kind === "bad") return this.#bad(id, checked.problem)
    const answered = await (checked.kind === "query"
      ? this.#port.query(checked.query)
      : this.#port.perform(checked.command))
    if (answered.kind === "refused") this.#refuse(id, answered.refusal)
    else this.#answer(id, answered.value)
  }

  async #open(frame: FrameOf<"open">): Promise<void> {
    const { id, sessionId, cursor, snapshot, env } = frame
    if (frame.quiet === true) return this.#openQuietly(frame)
    const watch = this.#watch(sessionId, env)
    const opened = await this.#handleFor(sessionId, env)
    if (opened.kind === "refused") return this.#notOpened(id, sessionId, watch, opened.refusal)
    if (snapshot === undefined) {
      const tellsLive = frame.live === true ? { live: true } : {}
      this.#answer(id, { sessionId, seq: cursor ?? 0, ...tellsLive })
      await this.#follow(sessionId, watch, opened.handle, cursor ?? 0)
      if (frame.live === true && !watch.isStopped) this.#outbox.reply({ type: "live", sessionId })
      return
    }
    const answer = await this.#port.query({ type: "transcript", sessionId, turns: snapshot.turns })
    if (answer.kind === "refused") return this.#notOpened(id, sessionId, watch, answer.refusal)
    const { seq } = answer.value
    this.#answer(id, { sessionId, seq, snapshot: answer.value })
    return this.#follow(sessionId, watch, opened.handle, seq)
  }

  async #openQuietly({ id, sessionId, env, who }: FrameOf<"open">): Promise<void> {
    const opened = await this.#handleFor(sessionId, env, who)
    if (opened.kind === "refused") this.#refuse(id, opened.refusal)
    else this.#answer(id, { sessionId })
  }

  async #create({ id, wish, env, who }: FrameOf<"create">): Promise<void> {
    const opened = await this.#port.create(wish, this.#speaker(who), env)
    if (opened.kind === "refused") this.#refuse(id, opened.refusal)
    else this.#answer(id, { sessionId: opened.handle.sessionId, seq: 0 }) // the client has seen none of its events
  }

  async #send({ id, sessionId, command, who }: FrameOf<"send">): Promise<void> {
    const checked = checkedCommand(command)
    if (checked.kind === "bad") return this.#bad(id, checked.problem)
    const opened = await this.#handleFor(sessionId, undefined, who)
    const outcome = opened.kind === "refused" ? opened : await opened.handle.send(checked.value)
    if (outcome.kind === "refused") this.#refuse(id, outcome.refusal)
    else this.#answer(id, { seq: outcome.seq })
  }

  /** A session is opened by one request after the other: that keeps its commands in order. */
  #handleFor(sessionId: SessionId, env?: ShellEnvironment, who?: Who): Promise<OpenedHandle> {
    const before = this.#opening.get(sessionId)?.catch(() => {}) ?? Promise.resolve()
    const opening = before.then(() => this.#port.open(sessionId, this.#speaker(who), env))
    this.#opening.set(sessionId, opening)
    const forget = () => this.#opening.get(sessionId) === opening && this.#opening.delete(sessionId)
    opening.then(forget, forget)
    return opening
  }

  /** Only a client that may do everything can speak for a principal that may do less. */
  #speaker(who: Who | undefined): Who {
    const isHost = this.#pass === undefined && this.#by.roles === undefined
    return isHost && who !== undefined ? who : this.#by
  }

  /** The newest `open` of a session counts: one that is still in progress then sends nothing. */
  #watch(sessionId: SessionId, env: ShellEnvironment | undefined): SessionWatch {
    this.#leave(sessionId)
    const watch: SessionWatch = new SessionWatch({
      flow: this.#outbox,
      onItem: (item) => this.#update(sessionId, watch, item),
      onGap: () => this.#outbox.reply({ type: "gap", sessionId, cursor: watch.cursor }),
      reopen: () => this.#handleFor(sessionId, env),
    })
    if (this.#isClosed) watch.stop()
    else this.#watches.set(sessionId, watch)
    return watch
  }

  #update(sessionId: SessionId, watch: SessionWatch, item: WatchItem): void {
    this.#outbox.update(encodeItem(sessionId, item))
    if (item.kind === "lost") this.#forget(sessionId, watch)
  }

  /** A log that cannot be read ends the watch, not the connection. */
  async #follow(sessionId: SessionId, watch: SessionWatch, handle: SessionHandle, cursor: number): Promise<void> {
    try {
      await watch.follow(handle, cursor)
    } catch (fault) {
      if (watch.isStopped) return
      watch.stop()
      this.#update(sessionId, watch, { kind: "lost", refusal: { code: "log.unavailable", what: String(fault) } })
    }
  }

  #notOpened(id: string, sessionId: SessionId, watch: SessionWatch, refusal: Refusal): void {
    watch.stop()
    this.#forget(sessionId, watch)
    this.#refuse(id, refusal)
  }

  #answer(id: string, value: unknown): void {
    this.#outbox.reply({ type: "answer", id, value })
  }

  #refuse(id: string | undefined, refusal: Refusal): void {
    this.#outbox.reply({ type: "refused", id, refusal })
  }

  #bad(id: string | undefined, what: string): void {
    this.#refuse(id, badFrame(what))
  }

  #begin(): void {
    this.#requests += 1
    if (this.#requests === this.#limits.concurrentRequests) this.#connection.pause()
  }

  #end(): void {
    this.#requests -= 1
    if (this.#requests === this.#limits.concurrentRequests - 1) this.#connection.resume()
  }

  #forget(sessionId: SessionId, watch: SessionWatch): void {
    if (this.#watches.get(sessionId) === watch) this.#watches.delete(sessionId)
  }

  #leave(sessionId: SessionId): void {
    this.#watches.get(sessionId)?.stop()
    this.#watches.delete(sessionId)
  }

  #leaveAll(): void {
    this.#isClosed = true
    for (const watch of this.#watches.values()) watch.stop()
    this.#watches.clear()
  }
}

const badKey: Refusal = { code: "key.bad" }

function lineProblem(line: Exclude<Line, { kind: "line" }>): string {
  return line.kind === "not-utf8" ? "a line is not UTF-8" : tooLong(line.bytes)
}
