// What a proof knows of one session across the lives of its hosts: the events that a client was shown, what was
// acknowledged, and what the log holds after each kill.
import { isDeepStrictEqual } from "node:util"
import { decodeEvent } from "../../../contract/stored-event.ts"
import type { Recorded } from "../../../contract/events.ts"
import type { WatchItem } from "../../../contract/host-port.ts"
import type { SessionId } from "../../../contract/ids.ts"
import type { EventLog, StoredLine } from "../../../log/event-log.ts"
import { evolve, initialState } from "../../../session/evolve.ts"
import type { SessionState } from "../../../session/state.ts"
import { accepted } from "../../app-fault.ts"
import type { Report } from "../violation.ts"
import { ShownText } from "./shown-text.ts"

const PAGE = 500

export class SessionRecord {
  readonly sessionId: SessionId
  /** Every event that the watching client was shown, over all connections. */
  readonly shown: Recorded[] = []
  readonly stored: Recorded[] = []
  /** Folded from what was shown. */
  state: SessionState = initialState
  readonly #report: Report
  readonly #text: ShownText
  #newestLine: StoredLine | undefined
  /** The newest event that the host acknowledged with a command. */
  #acknowledged = 0
  #comparing: Promise<void> = Promise.resolve()

  constructor(sessionId: SessionId, report: Report) {
    this.sessionId = sessionId
    this.#report = report
    this.#text = new ShownText(report)
  }

  /** Where a client that comes back continues. */
  get cursor(): number {
    return this.shown.length
  }

  get newestEvent(): string {
    return this.stored.at(-1)?.event.type ?? "none"
  }

  acknowledge(seq: number): void {
    this.#acknowledged = Math.max(this.#acknowledged, seq)
  }

  /** Called when a client has lost its connection. */
  disconnect(): void {
    this.#text.disconnect()
  }

  take(item: WatchItem): void {
    if (item.kind === "event") this.#takeEvent(item.recorded)
    this.#text.take(item)
  }

  #takeEvent(recorded: Recorded): void {
    const { seq, event } = recorded
    if (seq <= this.cursor) return this.#report("doubled", event.type, `event ${seq} was shown a second time`)
    if (seq > this.cursor + 1)
      this.#report("lost", event.type, `event ${seq} was shown after event ${this.cursor}: those between are missing`)
    this.shown.push(recorded)
    this.state = evolve(this.state, recorded)
  }

  /** Compares the log with what is known: nothing shown or acknowledged is missing, and nothing stored has changed. */
  compare(log: EventLog): Promise<void> {
    this.#comparing = this.#comparing.then(() => this.#compare(log))
    return this.#comparing
  }

  async #compare(log: EventLog): Promise<void> {
    const shown = this.shown.slice() // what is shown during the comparison may be newer than what is read
    const acknowledged = this.#acknowledged
    await this.#read(log)
    const missing = shown[this.stored.length]
    if (missing !== undefined)
      this.#report("lost", missing.event.type, `event ${missing.seq} was shown to a client and is not in the log`)
    if (acknowledged > this.stored.length)
      this.#report(
        "lost",
        this.newestEvent,
        `a command was acknowledged with event ${acknowledged}, and it is not in the log`,
      )
    const other = shown.find((one, index) => index < this.stored.length && !isDeepStrictEqual(one, this.stored[index]))
    if (other !== undefined)
      this.#report("broken", other.event.type, `event ${other.seq} is not stored as it was shown to a client`)
  }

  /** The newest known line is read again: its hash covers everything before it. */
  async #read(log: EventLog): Promise<void> {
    for (;;) {
      const known = this.#newestLine
      const lines = accepted(await log.readLines(this.sessionId, known === undefined ? 0 : known.seq - 1, PAGE)).value
      const [first] = lines
      if (known !== undefined && first?.hash !== known.hash) {
        this.#report("broken", this.newestEvent, `event ${known.seq} is no longer in the log as it was before the kill`)
        return
      }
      const added = known === undefined ? lines : lines.slice(1)
      for (const line of added) this.#add(line)
      if (added.length === 0) return
    }
  }

  #add(line: StoredLine): void {
    const decoded = decodeEvent(line.text)
    this.#newestLine = line
    if (decoded.kind !== "event" || line.seq !== this.stored.length + 1)
      return this.#report("broken", this.newestEvent, `the line after event ${this.stored.length} is no valid event`)
    this.stored.push(decoded.recorded)
  }
}
