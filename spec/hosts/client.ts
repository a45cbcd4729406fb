// A program that connects to the sessions of a home, as the commands do, and keeps everything that it receives.
import { connectHome, type HomeConnection } from "../../src/app/host/home-connection.ts"
import type { SessionCommand } from "../../src/contract/commands.ts"
import type { EventType, Recorded } from "../../src/contract/events.ts"
import type { OpenedHandle, SendOutcome, SessionHandle, WatchItem } from "../../src/contract/host-port.ts"
import type { Refusal } from "../../src/contract/refusals.ts"
import { eventually } from "../e2e/eventually.ts"
import type { HostedPlace } from "./hosted-place.ts"

const by = { principal: "tester", door: "test" }

export class Client {
  readonly #place: HostedPlace
  readonly #reach: Promise<HomeConnection>
  readonly #handles = new Map<string, SessionHandle>()
  readonly #watching: Watching[] = []
  #isClosed = false

  constructor(place: HostedPlace) {
    this.#place = place
    this.#reach = connectHome({ home: place.home, config: {} }, by.door)
  }

  create(model: string): Promise<OpenedHandle> {
    const wish = { cwd: this.#place.folder, origin: "new", model }
    return this.#unlessClosed(async () => (await this.#reach).port.create(wish, by))
  }

  send(sessionId: string, command: SessionCommand): Promise<SendOutcome> {
    return this.#unlessClosed<SendOutcome>(async () => {
      const opened = await this.#open(sessionId)
      return opened.kind === "refused" ? opened : opened.handle.send(command)
    })
  }

  async watch(sessionId: string, cursor = 0): Promise<Watching> {
    const watching = new Watching(sessionId, cursor)
    this.#watching.push(watching)
    const opened = await this.#unlessClosed(() => this.#open(sessionId))
    if (opened.kind === "refused") watching.hear({ kind: "lost", refusal: opened.refusal })
    else watching.leave = await opened.handle.watch(cursor, (item) => watching.hear(item))
    return watching
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const watching of this.#watching) watching.stop()
    await (await this.#reach).close()
  }

  async #open(sessionId: string): Promise<OpenedHandle> {
    const handle = this.#handles.get(sessionId)
    if (handle !== undefined) return { kind: "opened", handle }
    const opened = await (await this.#reach).port.open(sessionId, by)
    if (opened.kind === "opened") this.#handles.set(sessionId, opened.handle)
    return opened
  }

  /** The result of a request is lost if the client is closed meanwhile. */
  async #unlessClosed<Outcome>(work: () => Promise<Outcome>): Promise<Outcome | typeof gone> {
    try {
      return await work()
    } catch (fault) {
      if (!this.#isClosed) throw fault
      return gone
    }
  }
}

const gone = { kind: "refused", refusal: { code: "host.gone" } } as const

export class Watching {
  readonly sessionId: string
  readonly cursor: number
  readonly events: Recorded[] = []
  lost: Refusal | undefined
  isStopped = false
  leave: () => void = () => {}

  constructor(sessionId: string, cursor: number) {
    this.sessionId = sessionId
    this.cursor = cursor
  }

  hear(item: WatchItem): void {
    if (item.kind === "event") this.events.push(item.recorded)
    if (item.kind === "lost") this.lost = item.refusal
  }

  stop(): void {
    this.isStopped = true
    this.leave()
  }

  /** Resolves when it has been told of such an event. */
  async heard(type: EventType): Promise<void> {
    await this.until(`a watcher hears of ${type}`, () => this.events.some(({ event }) => event.type === type))
  }

  /** Resolves when it has been told of everything up to this event. */
  async reached(seq: number): Promise<void> {
    await this.until(`a watcher hears of event ${seq}`, () => seq <= (this.events.at(-1)?.seq ?? this.cursor))
  }

  private async until(what: string, isSo: () => boolean): Promise<void> {
    await eventually(what, () => {
      if (this.lost !== undefined) throw new Error(`${what}: it was lost, ${JSON.stringify(this.lost)}`)
      return isSo() || undefined
    })
  }
}
