// A client of the native API that holds a conversation on one connection. What was refused because of the disk is sent
// again.
import { setTimeout as sleep } from "node:timers/promises"
import type { HouseClient } from "../../../clients/house/house-client.ts"
import type { WatchItem } from "../../../contract/host-port.ts"
import type { Refusal } from "../../../contract/refusals.ts"
import { accepted, messageOf } from "../../app-fault.ts"
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

  async start(): Promise<void> {
    const { client, record } = this.#options
    const { handle } = accepted(await client.open(record.sessionId))
    await handle.watch(record.cursor, (item) => this.#take(item))
    this.#act()
  }

  /** An agent whose turn a crash left open may be parked: it waits for a person. */
  wakeAgents(): void {
    const { client, record } = this.#options
    for (const { id } of record.state.children) void client.send(id, { type: "resume" })
  }

  #take(item: WatchItem): void {
    const { record, onEvent } = this.#options
    if (item.kind === "lost") return
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
    this.#send(next).catch((fault: unknown) => this.#over.reject(new Error(messageOf(fault))))
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
