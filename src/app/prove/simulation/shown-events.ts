// What one simulated client was shown, compared with the disk at once: every event in order, stored before it is shown, as
// it is stored; and the deltas with the text that the event repeats.
import type { WatchItem } from "../../../contract/host-port.ts"
import { encodeEvent } from "../../../contract/stored-event.ts"
import { ShownText } from "../crash/shown-text.ts"
import type { Report } from "../violation.ts"
import type { StoredSession } from "./stored-sessions.ts"

export class ShownEvents {
  count = 0
  readonly #stored: () => StoredSession | undefined
  readonly #report: Report
  readonly #text: ShownText

  constructor(stored: () => StoredSession | undefined, report: Report) {
    this.#stored = stored
    this.#report = report
    this.#text = new ShownText(report)
  }

  disconnect(): void {
    this.#text.disconnect()
  }

  take(item: WatchItem): void {
    if (item.kind === "event") this.#takeEvent(item.recorded)
    this.#text.take(item)
  }

  #takeEvent(recorded: Extract<WatchItem, { kind: "event" }>["recorded"]): void {
    const { seq, event } = recorded
    if (seq <= this.count) return this.#report("doubled", event.type, `event ${seq} was shown a second time`)
    if (seq > this.count + 1)
      this.#report("lost", event.type, `event ${seq} was shown after event ${this.count}: those between are missing`)
    this.count = seq
    const stored = this.#stored()?.lines[seq - 1]
    if (stored === undefined)
      this.#report("lost", event.type, `event ${seq} was shown to a client and is not on the disk`)
    else if (stored !== encodeEvent(recorded))
      this.#report("broken", event.type, `event ${seq} is not stored as it was shown to a client`)
  }
}
