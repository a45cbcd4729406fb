// All child processes of a host. Each starts behind its gate, with its own mark, and is registered with the reaper before
// it can run; it is removed when its group is empty, so that a reused id is never listed. `owner` decides its lifetime.
import { limits } from "../contract/limits.ts"
import { spawnGated, type GatedProcess, type GatedRequest } from "./gated-process.ts"
import { killUntilGone, membersOf, type Leftovers } from "./kill-group.ts"
import { markedAmong } from "./mark.ts"
import { runningProcesses } from "./process-table.ts"
import { Reaper } from "./reaper.ts"

export interface SupervisedRequest extends Omit<GatedRequest, "mark" | "home" | "boot"> {
  /** For example a session id. */
  readonly owner: string
  /** Called a moment after the last process of its group has ended, and when the host closes. */
  readonly onGone?: (() => void) | undefined
}

interface Entry {
  readonly owner: string
  readonly gated: GatedProcess
  readonly onGone: (() => void) | undefined
}

/** Delays of checking a group after its command has exited. */
const FIRST_CHECK_MS = 100
const NEXT_CHECK_MS = 2000
const reaperStarts = 5

export class ProcessSupervisor {
  readonly #mark: string
  readonly #home: string | undefined
  readonly #boot: string | undefined
  readonly #entries = new Map<number, Entry>()
  /** All owners that ever had a process here. */
  readonly #owners = new Set<string>()
  #reaper: Reaper | undefined
  #reaperStarts = 0
  #count = 0
  #closed = false

  /** The mark is unique to this host; `home` is the folder in which its processes must not approve anything. */
  constructor(mark: string, home?: string, boot?: string) {
    if (!/^[\w.-]+$/.test(mark)) throw new Error(`a mark is made of letters, digits, "_", "." and "-", not: ${mark}`)
    this.#mark = mark
    this.#home = home
    this.#boot = boot
  }

  /** Process groups with a process that is alive or exited a moment ago. */
  get groups(): ReadonlySet<number> {
    return new Set(this.#entries.keys())
  }

  get reaperPid(): number | undefined {
    return this.#reaper?.pid
  }

  async spawn({ owner, onGone, ...request }: SupervisedRequest): Promise<GatedProcess> {
    this.#refuseWhenClosed()
    this.#count++
    this.#owners.add(owner)
    const mark = `${this.#mark}:${owner}:${this.#count}`
    const gated = await spawnGated({ ...request, mark, home: this.#home, boot: this.#boot })
    const { group } = gated.process
    this.#entries.set(group, { owner, gated, onGone })
    void gated.exited.then(() => this.#checkLater(FIRST_CHECK_MS, group))
    try {
      this.#refuseWhenClosed()
      await this.#registerWithReaper(group)
    } catch (fault) {
      gated.abandon()
      throw fault
    }
    return gated
  }

  /** Kills all processes of an owner. True if all are gone. */
  async endOwned(owner: string): Promise<boolean> {
    if (!this.#owners.has(owner)) return true // common in a service: avoids reading the process table
    const isGone = await killUntilGone(() =>
      this.#leftovers(`${this.#mark}:${owner}`, (entry) => entry.owner === owner),
    )
    if (isGone && !this.#hasProcess(owner)) this.#owners.delete(owner)
    return isGone
  }

  /** Ends everything. The reaper ends what remains. */
  async close(): Promise<void> {
    this.#closed = true
    const reaper = this.#reaper
    if (reaper === undefined) return
    for (const { onGone } of this.#entries.values()) onGone?.()
    const timeout = Promise.withResolvers<false>()
    const timer = setTimeout(() => timeout.resolve(false), 2 * limits.killAfterMs)
    const allEnded = await Promise.race([killUntilGone(() => this.#leftovers(this.#mark, () => true)), timeout.promise])
    clearTimeout(timer)
    this.#reaper = undefined
    const reaperEnd = reaper.close()
    if (allEnded) await reaperEnd
  }

  #hasProcess(owner: string): boolean {
    return [...this.#entries.values()].some((entry) => entry.owner === owner)
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new Error("this host is closing and starts no more processes")
  }

  async #leftovers(mark: string, belongs: (entry: Entry) => boolean): Promise<Leftovers> {
    const running = await runningProcesses()
    const members = [...this.#entries.values()].filter(belongs).map((entry) => membersOf(entry.gated.process, running))
    const groups = members.flatMap(([member]) => (member === undefined ? [] : [member.group]))
    const others = running.filter((one) => !groups.includes(one.group))
    const strays = await markedAmong(others, [mark])
    return { groups, pids: strays.map((stray) => stray.pid) }
  }

  /** A killed reaper is replaced; the new one gets the whole list. */
  async #registerWithReaper(group: number): Promise<void> {
    const known = this.#reaper
    const reaper = known ?? this.#startReaper()
    const groups = known === undefined ? [...this.#entries.keys()] : [group]
    try {
      await Promise.all(groups.map((each) => reaper.add(each)))
    } catch (fault) {
      if (this.#reaper === reaper) this.#reaper = undefined
      if (this.#reaperStarts >= reaperStarts) throw fault
      await this.#registerWithReaper(group)
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
    const [group] = this.#entries.keys()
    if (group === undefined || this.#reaperStarts >= reaperStarts) return
    this.#registerWithReaper(group).catch(() => {}) // the next spawn retries and reports the failure
  }

  #checkLater(delay: number, group: number): void {
    setTimeout(() => void this.#removeWhenEmpty(group), delay).unref()
  }

  async #removeWhenEmpty(group: number): Promise<void> {
    const entry = this.#entries.get(group)
    if (entry === undefined) return
    if (await entry.gated.isAlive()) return this.#checkLater(NEXT_CHECK_MS, group)
    this.#entries.delete(group)
    this.#reaper?.remove(group)
    entry.onGone?.()
  }
}
