// All child processes of a host. Each starts behind its gate, with its own mark, and is registered with the reaper before
// it can run; it is removed when its group is empty, so that a reused id is never listed. `owner` decides its lifetime.
import { limits } from "../contract/limits.ts"
import { spawnGated, type GatedProcess, type GatedRequest } from "./gated-process.ts"
import { killUntilGone, membersOf, type Leftovers } from "./kill-group.ts"
import { markedAmong } from "./mark.ts"
import { runningProcesses } from "./process-table.ts"
import { Reaper } from "./reaper.ts"

export interface KeptRequest extends Omit<GatedRequest, "mark" | "home"> {
  /** For example a session id. */
  readonly owner: string
}

interface Kept {
  readonly owner: string
  readonly gated: GatedProcess
}

/** Delays of checking a group after its command has exited. */
const lookAfterMs = 100
const lookAgainMs = 2000
const reaperStarts = 5

export class ProcessKeeper {
  readonly #mark: string
  readonly #home: string | undefined
  readonly #kept = new Map<number, Kept>()
  /** All owners that ever had a process here. */
  readonly #owners = new Set<string>()
  #reaper: Reaper | undefined
  #reaperStarts = 0
  #count = 0
  #closed = false

  /** The mark is unique to this host; `home` is the folder in which its processes must not approve anything. */
  constructor(mark: string, home?: string) {
    if (!/^[\w.-]+$/.test(mark)) throw new Error(`a mark is made of letters, digits, "_", "." and "-", not: ${mark}`)
    this.#mark = mark
    this.#home = home
  }

  /** Process groups with a process that is alive or exited a moment ago. */
  get groups(): ReadonlySet<number> {
    return new Set(this.#kept.keys())
  }

  get reaperPid(): number | undefined {
    return this.#reaper?.pid
  }

  async spawn({ owner, ...request }: KeptRequest): Promise<GatedProcess> {
    this.#refuseWhenClosed()
    this.#count++
    this.#owners.add(owner)
    const gated = await spawnGated({ ...request, mark: `${this.#mark}:${owner}:${this.#count}`, home: this.#home })
    const { group } = gated.process
    this.#kept.set(group, { owner, gated })
    void gated.exited.then(() => this.#lookIn(lookAfterMs, group))
    try {
      this.#refuseWhenClosed()
      await this.#tellReaper(group)
    } catch (fault) {
      gated.abandon()
      throw fault
    }
    return gated
  }

  /** Kills all processes of an owner. True if all are gone. */
  async endOwned(owner: string): Promise<boolean> {
    if (!this.#owners.has(owner)) return true // common in a service: avoids reading the process table
    const isGone = await killUntilGone(() => this.#leftovers(`${this.#mark}:${owner}`, (kept) => kept.owner === owner))
    if (isGone && !this.#hasProcess(owner)) this.#owners.delete(owner)
    return isGone
  }

  /** Ends everything. The reaper ends what remains. */
  async close(): Promise<void> {
    this.#closed = true
    const reaper = this.#reaper
    if (reaper === undefined) return
    const patience = Promise.withResolvers<false>()
    const timer = setTimeout(() => patience.resolve(false), 2 * limits.killAfterMs)
    const gone = await Promise.race([killUntilGone(() => this.#leftovers(this.#mark, () => true)), patience.promise])
    clearTimeout(timer)
    this.#reaper = undefined
    const left = reaper.close()
    if (gone) await left
  }

  #hasProcess(owner: string): boolean {
    return [...this.#kept.values()].some((kept) => kept.owner === owner)
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new Error("this host is closing and starts no more processes")
  }

  async #leftovers(mark: string, belongs: (kept: Kept) => boolean): Promise<Leftovers> {
    const running = await runningProcesses()
    const ours = [...this.#kept.values()].filter(belongs).map((kept) => membersOf(kept.gated.process, running))
    const groups = ours.flatMap(([member]) => (member === undefined ? [] : [member.group]))
    const outside = running.filter((one) => !groups.includes(one.group))
    const strays = await markedAmong(outside, [mark])
    return { groups, pids: strays.map((stray) => stray.pid) }
  }

  /** A killed reaper is replaced; the new one gets the whole list. */
  async #tellReaper(group: number): Promise<void> {
    const known = this.#reaper
    const reaper = known ?? this.#startReaper()
    const groups = known === undefined ? [...this.#kept.keys()] : [group]
    try {
      await Promise.all(groups.map((each) => reaper.add(each)))
    } catch (fault) {
      if (this.#reaper === reaper) this.#reaper = undefined
      if (this.#reaperStarts >= reaperStarts) throw fault
      await this.#tellReaper(group)
    }
  }

  #startReaper(): Reaper {
    const reaper = new Reaper(this.#mark)
    this.#reaper = reaper
    this.#reaperStarts++
    void reaper.ended.then(() => this.#replaceReaper(reaper))
    return reaper
  }

  #replaceReaper(ended: Reaper): void {
    if (this.#reaper !== ended) return
    this.#reaper = undefined
    const [group] = this.#kept.keys()
    if (group === undefined || this.#reaperStarts >= reaperStarts) return
    this.#tellReaper(group).catch(() => {}) // the next spawn retries and reports the failure
  }

  #lookIn(delay: number, group: number): void {
    setTimeout(() => void this.#forgetWhenEmpty(group), delay).unref()
  }

  async #forgetWhenEmpty(group: number): Promise<void> {
    const kept = this.#kept.get(group)
    if (kept === undefined) return
    if (await kept.gated.isAlive()) return this.#lookIn(lookAgainMs, group)
    this.#kept.delete(group)
    this.#reaper?.remove(group)
  }
}
