// One home whose host is killed again and again while clients hold conversations. After each kill the log is compared with
// what the clients know, and after each conversation its history and the effects of its tools are checked.
import { setTimeout as sleep } from "node:timers/promises"
import { accepted } from "../../app-fault.ts"
import type { HostProcess } from "../host-process.ts"
import { checkConversation, checkHome } from "./check-conversation.ts"
import type { History } from "./check-history.ts"
import { DoorMemory } from "./doors/door-client.ts"
import { checkRepeats, readEffects } from "./effects.ts"
import { watchFiles } from "./lane-home.ts"
import { Life, type End, type LifeOptions } from "./life.ts"
import { Play } from "./play.ts"
import type { SessionRecord } from "./session-record.ts"
import { atStoredEvents } from "./tally.ts"

const LOOK_MS = 50
/** How long a suspended host may keep its lease, and may take to exit once it runs again. */
const LEASE_MS = 30_000

export interface LaneOptions extends Omit<LifeOptions, "memory" | "play" | "record"> {
  readonly below: (below: number) => number
}

export class Lane {
  readonly #options: LaneOptions
  readonly #unwatch: () => void
  readonly #histories: History[] = []
  #plays = 0
  #life: Life | undefined
  #frozen: HostProcess | undefined

  constructor(options: LaneOptions) {
    this.#options = options
    this.#unwatch = watchFiles(options.home, {
      log: () => this.#life?.onLogGrowth(),
      effect: () => this.#life?.onEffect(),
    })
  }

  /** Until there were enough kills; the last conversation is held to its end. */
  async run(): Promise<void> {
    const { home, report, tally } = this.#options
    while (!this.#isOver && !tally.isComplete) {
      await this.#playOnce()
      if (!this.#isOver) checkHome({ home, report, earlier: this.#histories })
    }
  }

  async close(): Promise<void> {
    this.#unwatch()
    await this.#life?.close()
    this.#frozen?.signal("SIGKILL")
    await this.#options.home.log.close()
  }

  get #isOver(): boolean {
    return this.#options.signal.aborted
  }

  /** One conversation, over as many lives of the host as it takes. */
  async #playOnce(): Promise<void> {
    const { kind, below, report, tally } = this.#options
    this.#plays += 1
    tally.sessions += 1
    const play = new Play(kind, this.#plays, below)
    const memory = new DoorMemory(kind.name, report, kind.isCondensed)
    let record: SessionRecord | undefined
    for (;;) {
      const life = new Life({ ...this.#options, memory, play, record })
      this.#life = life
      await this.#thaw(life)
      const end = await life.ended
      record = life.record
      await this.#settle(life, end)
      if (this.#isOver || end.kind === "ended") return
      if (end.kind === "over") break
    }
    if (record === undefined) return
    tally.unknown += await checkConversation(record, {
      home: this.#options.home,
      kind,
      report,
      earlier: this.#histories,
    })
  }

  /** What was acknowledged and shown must be in the log before any other process has touched it. */
  async #settle(life: Life, end: End): Promise<void> {
    const { home, tally } = this.#options
    await life.close()
    if (this.#isOver || end.kind === "ended") return
    await life.record?.compare(home.log)
    checkRepeats(life.record?.stored ?? [], readEffects(home.workspace), this.#options.report)
    if (end.kind !== "killed" || life.plan === undefined) return
    const { point } = life.plan
    tally.count(atStoredEvents.has(point) ? (life.record?.newestEvent ?? "none") : end.event, point)
    if (point === "frozen") await this.#outlast(life.process)
  }

  /** Waits until a suspended host has lost its lease. */
  async #outlast(frozen: HostProcess | undefined): Promise<void> {
    this.#frozen = frozen
    for (const deadline = performance.now() + LEASE_MS; !this.#isOver; await sleep(LOOK_MS)) {
      const hosts = accepted(await this.#options.home.log.hosts()).value
      if (!hosts.some(({ pid }) => pid === frozen?.pid)) return
      if (performance.now() > deadline)
        return this.#options.report("broken", "none", "a suspended host keeps its lease")
    }
  }

  /** A host that lost its sessions while it was suspended must exit by itself, and change nothing. */
  async #thaw(life: Life): Promise<void> {
    const frozen = this.#frozen
    if (frozen === undefined) return
    await life.connected
    frozen.signal("SIGCONT")
    const isGone = await Promise.race([frozen.exited.then(() => true), sleep(LEASE_MS, false, { ref: false })])
    this.#frozen = undefined
    if (isGone || this.#isOver) return
    this.#options.report(
      "broken",
      "none",
      `a host that lost its sessions still runs ${LEASE_MS / 1000} s after it was continued`,
    )
    frozen.signal("SIGKILL")
  }
}
