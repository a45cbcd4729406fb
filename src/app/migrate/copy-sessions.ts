// Copies all sessions of one log to another, session by session, and reads each back from the target. Can be interrupted and
// repeated at any moment.
import { createHash } from "node:crypto"
import type { Damage, Outcome, Refused, StoredLine } from "../../log/event-log.ts"
import type { LogCopy } from "../../log/log-copy.ts"
import { verifiedPages, type ChainHead } from "../../log/verified-read.ts"
import { accepted, refusalFault } from "../app-fault.ts"
import { planOf } from "./plan.ts"

export interface DamagedSession extends Damage {
  readonly side: "source" | "target"
}

export interface CopyReport {
  /** In the source. */
  readonly sessions: number
  /** With at least one new event. */
  readonly copied: number
  /** Of them those that were in the target up to some event. */
  readonly extended: number
  readonly unchanged: number
  /** Copied ones. */
  readonly events: number
  /** Sessions whose events in the target lead to the newest event of the source. */
  readonly verified: number
  readonly conflicts: readonly { readonly sessionId: string; readonly what: string }[]
  readonly damaged: readonly DamagedSession[]
  readonly onlyInTarget: number
  /** SHA-256 over id, number of events and newest hash of each verified session, by id. */
  readonly headOfHeads: string
}

export interface CopyProgress {
  readonly sessions: number
  readonly of: number
  readonly events: number
}

export interface CopyOptions {
  /** Only says what would be copied. */
  readonly isDryRun: boolean
  /** Label of the nodes that can run a session, from its first event. */
  readonly placeOf: (first: StoredLine | undefined) => string | undefined
  readonly onProgress: (progress: CopyProgress) => void
  /** Aborted: the session that is being copied is undone, and the reason is thrown. */
  readonly signal: AbortSignal
}

export async function copySessions(source: LogCopy, target: LogCopy, options: CopyOptions): Promise<CopyReport> {
  return new SessionCopier(source, target, options).run()
}

class SessionCopier {
  readonly #source: LogCopy
  readonly #target: LogCopy
  readonly #options: CopyOptions
  readonly #damaged: DamagedSession[] = []
  readonly #conflicts: { readonly sessionId: string; readonly what: string }[] = []
  readonly #verified: ChainHead[] = []
  #begun = { sessions: 0, of: 0 }
  #copied = 0
  #extended = 0
  #unchanged = 0
  #events = 0

  constructor(source: LogCopy, target: LogCopy, options: CopyOptions) {
    this.#source = source
    this.#target = target
    this.#options = options
  }

  async run(): Promise<CopyReport> {
    const { heads, lost } = await this.#readSource()
    const inTarget = accepted(await this.#target.inventory()).value
    this.#note(inTarget.damage, "target")
    const unreadable = new Set(inTarget.damage.map(({ sessionId }) => sessionId))
    const known = new Map(inTarget.heads.map((head) => [head.sessionId, head]))
    for (const [done, head] of heads.entries()) {
      this.#begun = { sessions: done, of: heads.length }
      this.#showProgress()
      this.#options.signal.throwIfAborted()
      if (!unreadable.has(head.sessionId)) await this.#take(head, known.get(head.sessionId))
    }
    const inSource = new Set([...heads.map(({ sessionId }) => sessionId), ...lost])
    const onlyInTarget = inTarget.heads.filter(({ sessionId }) => !inSource.has(sessionId)).length
    return this.#report(inSource.size, onlyInTarget)
  }

  /** Sessions that can be read, and the ids of the others. */
  async #readSource() {
    const { heads, damage } = accepted(await this.#source.inventory()).value
    const all = [...damage, ...accepted(await this.#source.missing()).value]
    this.#note(all, "source")
    const lost = new Set(all.map(({ sessionId }) => sessionId))
    return { heads: heads.filter(({ sessionId }) => !lost.has(sessionId)), lost }
  }

  #note(damage: readonly Damage[], side: DamagedSession["side"]): void {
    this.#damaged.push(...damage.map((one) => ({ ...one, side })))
  }

  async #take(head: ChainHead, known: ChainHead | undefined): Promise<void> {
    const { sessionId } = head
    const plan = await planOf(head, known, (seq) => this.#hashAt(sessionId, seq))
    if (plan.kind === "conflict") return void this.#conflicts.push({ sessionId, what: plan.what })
    if (plan.kind === "copy" && !(await this.#copy(head, plan.afterSeq))) return
    if (plan.kind === "unchanged") this.#unchanged += 1
    if (!this.#options.isDryRun) await this.#verify(head)
  }

  async #hashAt(sessionId: string, seq: number): Promise<string | undefined> {
    if (seq === 0) return undefined
    return (await this.#source.page(sessionId, seq - 1, seq)).lines[0]?.hash
  }

  /** False if the session is damaged in the source. */
  async #copy(head: ChainHead, afterSeq: number): Promise<boolean> {
    const events = this.#events
    const stored = this.#options.isDryRun ? await this.#readAll(head, afterSeq) : await this.#store(head, afterSeq)
    if (stored.kind === "refused") {
      this.#events = events
      this.#noteOrThrow(stored, "source")
      return false
    }
    this.#copied += 1
    if (afterSeq > 0) this.#extended += 1
    return true
  }

  async #store(head: ChainHead, afterSeq: number): Promise<Outcome<void>> {
    const { sessionId } = head
    const record = await this.#source.record(sessionId)
    if (record.kind === "refused") return record
    const first = await this.#source.page(sessionId, 0, 1)
    const place = this.#options.placeOf(first.lines[0])
    return this.#target.store({ head, record: record.value, place, afterSeq }, this.#sourcePages(head, afterSeq))
  }

  async #readAll(head: ChainHead, afterSeq: number): Promise<Outcome<unknown>> {
    for await (const page of this.#sourcePages(head, afterSeq)) if (page.kind === "refused") return page
    return this.#source.record(head.sessionId)
  }

  async *#sourcePages(head: ChainHead, afterSeq: number): AsyncGenerator<Outcome<readonly StoredLine[]>> {
    const read = (after: number, upTo: number) => this.#source.page(head.sessionId, after, upTo)
    for await (const page of verifiedPages(read, head, afterSeq, head.seq)) {
      this.#options.signal.throwIfAborted()
      if (page.kind === "ok") this.#events += page.value.length
      this.#showProgress()
      yield page
    }
  }

  #showProgress(): void {
    this.#options.onProgress({ ...this.#begun, events: this.#events })
  }

  /** From its first event in the target to the newest event of the source. */
  async #verify(head: ChainHead): Promise<void> {
    const read = (after: number, upTo: number) => this.#target.page(head.sessionId, after, upTo)
    for await (const page of verifiedPages(read, head, 0, head.seq)) {
      this.#options.signal.throwIfAborted()
      if (page.kind === "refused") return this.#noteOrThrow(page, "target")
    }
    this.#verified.push(head)
    this.#target.confirm(head.sessionId)
  }

  #noteOrThrow({ refusal }: Refused, side: DamagedSession["side"]): void {
    if (refusal.code !== "session.damaged") throw refusalFault(refusal)
    const { sessionId, seq, what } = refusal
    this.#note([{ sessionId, seq, what }], side)
  }

  #report(sessions: number, onlyInTarget: number): CopyReport {
    return {
      sessions,
      copied: this.#copied,
      extended: this.#extended,
      unchanged: this.#unchanged,
      events: this.#events,
      verified: this.#verified.length,
      conflicts: this.#conflicts,
      damaged: this.#damaged,
      onlyInTarget,
      headOfHeads: headOfHeads(this.#verified),
    }
  }
}

export function headOfHeads(heads: readonly ChainHead[]): string {
  const lines = heads.map(({ sessionId, seq, hash }) => `${sessionId} ${seq} ${hash}\n`)
  const digest = createHash("sha256")
  for (const line of lines.toSorted()) digest.update(line)
  return digest.digest("hex")
}
