// A client that gives the session a new name again and again while the disk fails: each is acknowledged and stored, or
// refused with the reason. None is stored twice.
import { setTimeout as sleep } from "node:timers/promises"
import type { HouseClient } from "../../../../clients/house/house-client.ts"
import type { Refusal } from "../../../../contract/refusals.ts"
import { eventsOf, type History } from "../../crash/check-history.ts"
import type { SessionRecord } from "../../crash/session-record.ts"
import type { Report } from "../../violation.ts"

const EVERY_MS = 60

export class Names {
  readonly #acknowledged: string[] = []
  #given = 0

  /** Until the signal; never rejects. */
  async give(
    client: HouseClient,
    record: SessionRecord,
    { signal, onRefused }: { readonly signal: AbortSignal; readonly onRefused: (refusal: Refusal) => void },
  ): Promise<void> {
    for (; !signal.aborted; await sleep(EVERY_MS)) {
      const name = `name ${(this.#given += 1)}`
      const sent = await client.send(record.sessionId, { type: "rename", name })
      if (sent.kind === "refused" && sent.refusal.code === "host.gone") return
      if (sent.kind === "refused") onRefused(sent.refusal)
      else this.#acknowledge(record, sent.seq, name)
    }
  }

  #acknowledge(record: SessionRecord, seq: number, name: string): void {
    record.acknowledge(seq)
    this.#acknowledged.push(name)
  }

  check(history: History, report: Report): void {
    const stored = eventsOf(history, "session.renamed").map(({ name }) => name)
    const missing = this.#acknowledged.find((name) => !stored.includes(name))
    if (missing !== undefined) report("lost", "session.renamed", `"${missing}" was acknowledged and is not in the log`)
    const twice = stored.find((name, index) => stored.indexOf(name) !== index)
    if (twice !== undefined) report("doubled", "session.renamed", `"${twice}" is stored twice`)
  }
}
