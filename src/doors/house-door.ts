// The house wire on one connection. Answers go out in the order in which they are ready; what happens in open sessions
// goes out as long as the client keeps up. One that does not is left alone until it has read what waits: then it is
// told of the gap and gets everything after its cursor from the log, so nothing is lost and nothing piles up.
import type { HousePort, SessionHandle, WatchItem } from "../contract/house-port.ts"
import { checkCommand } from "../contract/generated/commands.js"
import type { SessionId } from "../contract/ids.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { By } from "../contract/values.ts"
import type { ClientFrame, HostFrame } from "../protocols/house/frames.ts"
import { houseVersion, receiveFromClient } from "../protocols/house/receive.ts"
import { frameOf } from "../protocols/house/tell.ts"
import type { Line } from "../transports/framing/lines.ts"
import type { LineConnection } from "../transports/unix-socket.ts"

export interface HouseDoorOptions {
  readonly port: HousePort
  readonly by: By
  readonly host: string
  readonly role: string
}

/** Bytes that may wait for one client: what happens in sessions, and answers on top of it. */
const outboxBytes = 1024 * 1024
const answersBytes = 16 * 1024 * 1024

export class HouseDoor {
  readonly #connection: LineConnection
  readonly #options: HouseDoorOptions
  readonly #watched = new Map<SessionId, Watched>()
  readonly #wishes = new Map<SessionId, number>()
  #greeted = false
  #isGone = false

  constructor(connection: LineConnection, options: HouseDoorOptions) {
    this.#connection = connection
    this.#options = options
    void connection.closed.then(() => this.#leaveAll())
  }

  receive(line: Line): void {
    if (this.#connection.waiting > answersBytes) return this.#connection.destroy() // it asks and never listens
    if (line.kind !== "line") return this.#refuse(undefined, "a line is too long or not UTF-8")
    if (line.text.trim() === "") return
    const received = receiveFromClient(line.text)
    if (received.kind === "bad") return this.#refuse(received.id, received.what)
    if (!this.#greeted && received.frame.type !== "hello") return this.#refuse(undefined, "say hello first")
    const { frame } = received
    this.#handle(frame).catch(() => this.#refuse("id" in frame ? frame.id : undefined, "the host could not do that"))
  }

  async #handle(frame: ClientFrame): Promise<void> {
    switch (frame.type) {
      case "hello":
        return this.#greet(frame.version)
      case "open":
        return this.#open(frame.id, frame.sessionId, frame.cursor)
      case "send":
        return this.#send(frame)
      case "close":
        this.#leave(frame.sessionId)
        return
    }
  }

  #greet(version: number): void {
    const { host, role } = this.#options
    if (version !== houseVersion) {
      this.#refuse(undefined, `this host speaks version ${houseVersion} of the house wire, not ${version}`)
      return this.#connection.end()
    }
    this.#greeted = true
    this.#write({ type: "hello", version: houseVersion, host, role })
  }

  async #open(id: string, sessionId: SessionId, cursor: number): Promise<void> {
    const wish = this.#leave(sessionId)
    const opened = await this.#options.port.open(sessionId, this.#options.by)
    if (opened.kind === "refused") return this.#write({ type: "refused", id, refusal: opened.refusal })
    this.#write({ type: "answer", id, value: { sessionId } })
    if (this.#isGone || this.#wishes.get(sessionId) !== wish) return // closed or opened anew meanwhile
    const watched = new Watched(opened.handle, cursor, this.#connection, (item) => this.#tell(sessionId, item))
    this.#watched.set(sessionId, watched)
    await watched.follow()
  }

  async #send({ id, sessionId, command }: Extract<ClientFrame, { type: "send" }>): Promise<void> {
    if (!checkCommand(command)) return this.#refuse(id, "this is not a command of a session")
    const opened = await this.#options.port.open(sessionId, this.#options.by)
    const outcome = opened.kind === "refused" ? opened : await opened.handle.send(command)
    if (outcome.kind === "refused") this.#write({ type: "refused", id, refusal: outcome.refusal })
    else this.#write({ type: "answer", id, value: { seq: outcome.seq } })
  }

  #tell(sessionId: SessionId, item: WatchItem): void {
    this.#write(frameOf(sessionId, item))
  }

  #refuse(id: string | undefined, what: string): void {
    const refusal: Refusal = { code: "frame.bad", what }
    this.#write({ type: "refused", id, refusal })
  }

  #write(frame: HostFrame): void {
    this.#connection.send(JSON.stringify(frame))
  }

  /** The newest word about a session counts; an older one that is still under way is void. */
  #leave(sessionId: SessionId): number {
    const wish = (this.#wishes.get(sessionId) ?? 0) + 1
    this.#wishes.set(sessionId, wish)
    this.#watched.get(sessionId)?.stop()
    this.#watched.delete(sessionId)
    return wish
  }

  #leaveAll(): void {
    this.#isGone = true
    for (const sessionId of this.#watched.keys()) this.#leave(sessionId)
  }
}

/** One session that one client watches, with the cursor up to which it was told. */
class Watched {
  readonly #handle: SessionHandle
  readonly #connection: LineConnection
  readonly #tell: (item: WatchItem) => void
  #cursor: number
  #unwatch: (() => void) | undefined
  #stopped = false
  #behind = false
  /** Which reading is the valid one: an earlier one may still be under way when the next begins. */
  #round = 0

  constructor(handle: SessionHandle, cursor: number, connection: LineConnection, tell: (item: WatchItem) => void) {
    this.#handle = handle
    this.#cursor = cursor
    this.#connection = connection
    this.#tell = tell
  }

  async follow(): Promise<void> {
    this.#behind = false
    const round = (this.#round += 1)
    const unwatch = await this.#handle.watch(this.#cursor, (item) => round === this.#round && this.#pass(item))
    if (this.#stopped || this.#behind || round !== this.#round) unwatch()
    else this.#unwatch = unwatch
  }

  stop(): void {
    this.#stopped = true
    this.#unwatch?.()
  }

  #pass(item: WatchItem): void {
    if (this.#stopped || this.#behind) return
    this.#tell(item)
    if (item.kind === "event") this.#cursor = item.recorded.seq
    if (this.#connection.waiting > outboxBytes) this.#catchUp().catch(() => this.#connection.destroy())
  }

  async #catchUp(): Promise<void> {
    this.#behind = true
    this.#unwatch?.()
    this.#unwatch = undefined
    await this.#connection.drained()
    if (this.#stopped) return
    this.#connection.send(
      JSON.stringify({ type: "gap", sessionId: this.#handle.sessionId, cursor: this.#cursor } satisfies HostFrame),
    )
    await this.follow()
  }
}
