// A client of the native API that holds a conversation on one connection. What was refused because of the disk is sent
// again.
import { setTimeout as sleep } from "node:timers/promises"
import type { HouseClient } from "../../../clients/house/house-client.ts"
import type { WatchItem } from "../../../contract/host-port.ts"
import type { Refusal } from "../../../contract/refusals.ts"
import { messageOf } from "../../app-fault.ts"
import { commandOf, type Next, type Play } from "../crash/play.ts"
import type { SessionRecord } from "../crash/session-record.ts"

export interface TalkOptions {
  readonly client: HouseClient
  readonly record: SessionRecord
  readonly play: Play
  /** A message or an approval was not accepted, or the log cannot be used. */
  readonly onRefused: (refusal: Refusal) => void
  /** Called after each event that is shown. */
  readonly onEvent: () => void
}

const RETRY_MS = 100

export class Talk {
  /** Resolves when everything was sent and the session is at rest; rejects if the host fails. */
  readonly over: Promise<void>
  readonly #options: TalkOptions
  readonly #over = Promise.withResolvers<void>()
  readonly #sent = new Set<string>()

  constructor(options: TalkOptions) {
    this.#options = options
    this.over = this.#over.promise
    this.over.catch(() => {}) // a talk that is cut off is not awaited
  }

  /** Opens the session and watches it from where the client is. */
  async start(): Promise<void> {
    const { client, record } = this.#options
    const opened = await client.open(record.sessionId)
    if (opened.kind === "refused") return this.#startAgain(opened.refusal)
    await opened.handle.watch(record.cursor, (item) => this.#take(item))
    this.#act()
  }

  /** The host could not read the log. */
  async #startAgain(refusal: Refusal): Promise<void> {
    const { record, onRefused } = this.#options
    if (refusal.code === "host.gone") return
    onRefused(refusal)
    record.disconnect()
    await sleep(RETRY_MS)
    await this.start()
  }

  /** An agent whose turn a crash left open may be parked: it waits for a person. */
  wakeAgents(): void {
    const { client, record } = this.#options
    for (const { id } of record.state.children) void client.send(id, { type: "resume" })
  }

  #take(item: WatchItem): void {
    const { record, onEvent } = this.#options
    if (item.kind === "lost")
      return void this.#startAgain(item.refusal).catch((fault: unknown) => this.#fail(messageOf(fault)))
    record.take(item)
    if (item.kind !== "event") return
    onEvent()
    this.#act()
  }

  #act(): void {
    const { play, record } = this.#options
    const next = play.next(record.state, record.shown)
    if (next === "over") return this.#over.resolve()
    if (next === undefined || this.#sent.has(next.key)) return
    this.#sent.add(next.key)
    this.#send(next).catch((fault: unknown) => this.#fail(messageOf(fault)))
  }

  #fail(what: string): void {
    this.#over.reject(new Error(what))
  }

  async #send(next: Next): Promise<void> {
    const { client, record, onRefused } = this.#options
    const sent = await client.send(record.sessionId, commandOf(next))
    if (sent.kind === "accepted") return record.acknowledge(sent.seq)
    if (sent.refusal.code === "host.gone" || sent.refusal.code === "approval.settled") return
    // Others are sent twice: the session has new events, and is not yet where it was told to be.
    if (next.kind !== "command" || sent.refusal.code === "log.unavailable") onRefused(sent.refusal)
    await sleep(RETRY_MS)
    this.#sent.delete(next.key)
    this.#act()
  }
}
