// One conversation whose clients lose their connections again and again: the native client and the client of the door, each
// after frames of its own. Both come back and continue where they were; the host is not touched.
import { setTimeout as sleep } from "node:timers/promises"
import type { HouseClient } from "../../../clients/house/house-client.ts"
import type { WatchItem } from "../../../contract/host-port.ts"
import type { SessionId } from "../../../contract/ids.ts"
import { accepted, messageOf } from "../../app-fault.ts"
import { DoorMemory, type DoorClient } from "../crash/doors/door-client.ts"
import { reachHost, type LaneHome, type LaneKind, type Started } from "../crash/lane-kind.ts"
import { commandOf, type Next, type Play } from "../crash/play.ts"
import { SessionRecord } from "../crash/session-record.ts"
import type { Report } from "../violation.ts"
import type { CutPlan } from "./cut-plan.ts"
import type { CutTally } from "./cut-tally.ts"

export interface ConversationOptions {
  readonly home: LaneHome
  readonly kind: LaneKind
  readonly host: Started
  readonly play: Play
  readonly tally: CutTally
  readonly plans: { readonly native: CutPlan; readonly door: CutPlan }
  readonly report: Report
  readonly signal: AbortSignal
}

const PATIENCE_MS = 60_000
const RETRY_MS = 20

export class Conversation {
  record: SessionRecord | undefined
  readonly #options: ConversationOptions
  readonly #memory: DoorMemory
  readonly #over = new AbortController()
  readonly #ended = Promise.withResolvers<void>()
  readonly #sent = new Set<string>()
  /** Messages through the door that were not yet seen in the session. Until then the client cannot know, so it is not cut. */
  readonly #unseen = new Set<string>()
  #client: HouseClient | undefined
  #door: DoorClient | undefined
  #stuck: NodeJS.Timeout | undefined
  #stage = "the session"

  constructor(options: ConversationOptions) {
    this.#options = options
    const { kind, report, signal } = options
    this.#memory = new DoorMemory(kind.name, report, kind.isCondensed, (frame) => this.#cutsDoorAt(frame))
    signal.addEventListener("abort", () => this.#end(), { once: true })
  }

  /** Resolves when the conversation is over. */
  async hold(): Promise<void> {
    const { home, kind, host, report } = this.#options
    const late = () =>
      this.#fail(`nothing happened for ${PATIENCE_MS / 1000} s while the proof waited for ${this.#stage}`)
    this.#stuck = setTimeout(late, PATIENCE_MS)
    try {
      const client = await this.#reach()
      if (client === undefined) return
      const sessionId = await kind.create(home, host, client, this.#memory)
      client.close()
      this.record = new SessionRecord(sessionId, report)
      await Promise.all([this.#keepWatching(this.record), this.#keepVisiting(sessionId)])
    } catch (fault) {
      this.#fail(messageOf(fault))
    } finally {
      this.#end()
    }
  }

  get #isOver(): boolean {
    return this.#over.signal.aborted
  }

  #reach(): Promise<HouseClient | undefined> {
    const { kind, home, host } = this.#options
    return reachHost(kind, home, host, () => this.#isOver)
  }

  async #keepWatching(record: SessionRecord): Promise<void> {
    while (!this.#isOver) {
      const client = await this.#reach()
      if (client === undefined) return
      const cut = Promise.withResolvers<void>()
      this.#client = client
      const { handle } = accepted(await client.open(record.sessionId))
      await handle.watch(record.cursor, (item) => {
        if (this.#client !== client || this.#isOver) return // what arrives after the cut is lost
        this.#take(record, item)
        if (!this.#cutsNativeAt(item)) return
        this.#client = undefined
        cut.resolve()
      })
      this.#act()
      await Promise.race([cut.promise, this.#ended.promise])
      client.close()
      record.disconnect()
    }
  }

  async #keepVisiting(sessionId: SessionId): Promise<void> {
    const { kind, home, host } = this.#options
    while (!this.#isOver) {
      const door = await kind.connect(home, host, sessionId, { memory: this.#memory, signal: this.#over.signal })
      this.#door = door
      this.#act()
      await Promise.race([door.closed, this.#ended.promise])
      this.#door = undefined
      door.close()
    }
  }

  #cutsDoorAt(frame: string): boolean {
    const { plans, tally, kind } = this.#options
    if (this.#isOver || this.#unseen.size > 0 || tally.isComplete || !plans.door.isDue(frame)) return false
    tally.count(kind.doorName, frame)
    for (const key of this.#sent) if (key.startsWith("apr_")) this.#sent.delete(key) // the answer may be lost
    return true
  }

  #cutsNativeAt(item: WatchItem): boolean {
    const { plans, tally } = this.#options
    const frame = frameOf(item)
    if (this.#isOver || tally.isComplete || !plans.native.isDue(frame)) return false
    tally.count("native", frame)
    return true
  }

  #take(record: SessionRecord, item: WatchItem): void {
    if (item.kind === "lost") return
    record.take(item)
    if (item.kind !== "event") return
    this.#stuck?.refresh()
    if (item.recorded.event.type === "prompt.admitted") this.#unseen.delete(item.recorded.event.text)
    this.#act()
  }

  #act(): void {
    const { record } = this
    if (this.#isOver || record === undefined || this.#client === undefined) return
    const next = this.#options.play.next(record.state, record.shown)
    if (next === "over") return this.#end()
    if (next === undefined || this.#sent.has(next.key)) return
    this.#stage = `what follows '${next.key}'`
    this.#send(next, record, this.#client).catch((fault: unknown) => this.#fail(messageOf(fault)))
  }

  /** What was not acknowledged is sent again: a message has an id, and the other commands can be repeated. */
  async #send(next: Next, record: SessionRecord, client: HouseClient): Promise<void> {
    if (next.kind === "prompt" && next.prompt.throughDoor) return this.#sendThroughDoor(next.key, next.prompt.text)
    this.#sent.add(next.key)
    const isAnswered = next.kind === "approval" && next.throughDoor
    if (isAnswered && this.#door?.approve(next.approvalId, next.isApproved) === true) return
    const sent = await client.send(record.sessionId, commandOf(next))
    if (sent.kind === "accepted") return record.acknowledge(sent.seq)
    this.#sent.delete(next.key)
    await sleep(RETRY_MS)
    this.#act()
  }

  #sendThroughDoor(key: string, text: string): void {
    if (this.#door?.prompt(text) !== true) return // sent when it is back
    this.#sent.add(key)
    this.#unseen.add(text)
  }

  #fail(what: string): void {
    if (this.#isOver) return
    this.#options.report("broken", this.record?.shown.at(-1)?.event.type ?? "none", what)
    this.#end()
  }

  #end(): void {
    clearTimeout(this.#stuck)
    this.#over.abort()
    this.#ended.resolve()
  }
}

function frameOf(item: WatchItem): string {
  if (item.kind === "event") return item.recorded.event.type
  return item.kind === "delta" ? item.delta.type : item.kind
}
