// One conversation with a host whose disk fails in the first life of the host. It goes on when the disk works again, or
// everything is killed while it fails. The next host has a disk that works.
import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import type { HouseClient } from "../../../../clients/house/house-client.ts"
import type { Refusal } from "../../../../contract/refusals.ts"
import { describeRefusal } from "../../../../contract/text/describe-refusal.ts"
import { untilAborted } from "../../../../runner/waiting.ts"
import { checkConversation, checkHome } from "../../crash/check-conversation.ts"
import type { History } from "../../crash/check-history.ts"
import { checkRepeats, readEffects } from "../../crash/effects.ts"
import { backgroundHost, proofDoor, type LaneHome } from "../../crash/lane-kind.ts"
import { Play } from "../../crash/play.ts"
import { SessionRecord } from "../../crash/session-record.ts"
import type { Report } from "../../violation.ts"
import { HostLife, PATIENCE_MS } from "../host-life.ts"
import { Talk } from "../talk.ts"
import { FaultSchedule } from "./fault-schedule.ts"
import { Names } from "./names.ts"
import type { Rig } from "./rig.ts"

export interface FaultRunOptions {
  readonly home: LaneHome
  readonly rig: Rig
  /** The host is killed while its disk fails. */
  readonly isLasting: boolean
  readonly below: (below: number) => number
  readonly report: Report
  readonly signal: AbortSignal
  readonly onFault: (result: FaultResult) => void
}

export interface FaultResult {
  /** The newest event that a client was shown. */
  readonly event: string
  readonly isKilled: boolean
}

export interface FaultRunTotals {
  /** Commands that were refused with the reason. */
  readonly refused: number
  /** Bytes that were written, not synced, and cut off after the kill. */
  readonly cutOff: number
}

const RETRY_MS = 100
const SILENCE_MS = 2000
/** What a message about the disk contains. */
const namesDisk = /turnhouse\.db|\bdisk\b|no space/i
const stackLine = /^ {4}at \S/m

export class FaultRun {
  readonly #options: FaultRunOptions
  readonly #play: Play
  #record: SessionRecord | undefined
  readonly #names = new Names()
  #isBroken = false
  #refused = 0
  #cutOff = 0

  constructor(options: FaultRunOptions) {
    this.#options = options
    this.#play = new Play(backgroundHost, 1, options.below)
  }

  /** Leaves no host behind. */
  async run(): Promise<FaultRunTotals> {
    const { home, report, signal } = this.#options
    const earlier: History[] = []
    let isOver = await this.#live(true)
    while (!isOver && !signal.aborted) isOver = await this.#live(false)
    if (this.#record !== undefined && !signal.aborted) {
      await checkConversation(this.#record, { home, kind: backgroundHost, report, earlier })
      checkHome({ home, report, earlier })
      this.#names.check(this.#record.stored, report)
    }
    return { refused: this.#refused, cutOff: this.#cutOff }
  }

  /** True when the conversation is over. What is checked afterwards is in the log before a next host opens it. */
  async #live(isFailing: boolean): Promise<boolean> {
    const { home, rig, signal } = this.#options
    const life = new HostLife(home, isFailing ? rig : { under: [], home: home.workspace.home })
    const schedule = isFailing ? new FaultSchedule({ ...this.#options, onFault: () => this.#count(false) }) : undefined
    let isOver = false
    try {
      isOver = await this.#converse(life, schedule)
    } finally {
      schedule?.close()
      await life.kill()
      this.#record?.disconnect()
      if (isFailing) this.#cutOff = await rig.settle()
    }
    if (signal.aborted && !this.#isBroken) return false
    if (isFailing) this.#countAtEnd(schedule?.isFailing === true)
    if (this.#record !== undefined) await this.#compare(this.#record)
    return isOver
  }

  async #compare(record: SessionRecord): Promise<void> {
    const { home, report } = this.#options
    const found = await home.log.find(record.sessionId)
    if (found.kind === "refused")
      return report("lost", this.#newest, `the session was shown to a client: ${describeRefusal(found.refusal)}`)
    await record.compare(home.log)
    checkRepeats(record.stored, readEffects(home.workspace), report)
  }

  async #converse(life: HostLife, schedule: FaultSchedule | undefined): Promise<boolean> {
    const client = await life.connect(this.#options.signal)
    if (client !== undefined) this.#record ??= await this.#created(client, life, schedule)
    if (client === undefined || this.#record === undefined) return this.#judgeExit(life, schedule)
    const stuck = Promise.withResolvers<"stuck">()
    const timer = setTimeout(() => stuck.resolve("stuck"), PATIENCE_MS)
    const onEvent = () => {
      timer.refresh()
      schedule?.onEvent()
    }
    const onRefused = (refusal: Refusal) => this.#takeRefusal(refusal, schedule !== undefined)
    const talk = new Talk({ client, record: this.#record, play: this.#play, onRefused, onEvent })
    const naming = new AbortController()
    const { signal } = naming
    const names = schedule === undefined ? undefined : this.#names.give(client, this.#record, { signal, onRefused })
    const waking = setInterval(() => talk.wakeAgents(), SILENCE_MS)
    try {
      await talk.start()
      const end = await Promise.race([
        talk.over.then(() => "over" as const),
        life.process.exited.then(() => "exited" as const),
        schedule?.kill.then(() => "killed" as const) ?? new Promise<never>(() => {}),
        untilAborted(this.#options.signal).then(() => "aborted" as const),
        stuck.promise,
      ])
      if (end === "stuck") this.#break(`nothing happened for ${PATIENCE_MS / 1000} s`)
      return end === "exited" ? this.#judgeExit(life, schedule) : end === "over"
    } finally {
      clearTimeout(timer)
      clearInterval(waking)
      naming.abort()
      void names?.catch(() => {}) // the connection is lost with the host
    }
  }

  /** Undefined if the host is to be killed, or has ended. */
  async #created(
    client: HouseClient,
    life: HostLife,
    schedule: FaultSchedule | undefined,
  ): Promise<SessionRecord | undefined> {
    const { home, report, signal } = this.#options
    for (;;) {
      if (signal.aborted || schedule?.isKilled === true || life.process.exit !== undefined) return undefined
      const options = { cwd: home.workspace.path("folder"), origin: proofDoor, model: home.model }
      const created = await client.create(options)
      if (created.kind === "opened") return new SessionRecord(created.handle.sessionId, report)
      this.#takeRefusal(created.refusal, schedule !== undefined)
      await sleep(RETRY_MS)
    }
  }

  /** A host that cannot use its disk may end, and says why. False: the conversation is not over. */
  #judgeExit({ process }: HostLife, schedule: FaultSchedule | undefined): false {
    if (process.exit === undefined || this.#options.signal.aborted) return false
    const printed = readFileSync(this.#options.home.workspace.path("output.log"), "utf8").trim()
    const isExplained = schedule !== undefined && namesDisk.test(printed) && !stackLine.test(printed)
    const last = printed.split("\n").at(-1) ?? ""
    if (!isExplained) this.#break(`the host ended by itself (code ${process.exit.code}): ${last}`)
    return false
  }

  #takeRefusal(refusal: Refusal, isFailing: boolean): void {
    const text = describeRefusal(refusal)
    if (refusal.code === "host.gone" || this.#options.signal.aborted) return
    if (!namesDisk.test(text)) this.#break(`a command was refused with a reason that does not name the disk: ${text}`)
    else if (!isFailing) this.#break(`a command was refused while the disk works: ${text}`)
    else this.#refused += 1
  }

  /** System calls that failed count one by one, unless everything was killed during a failure that lasts. */
  #countAtEnd(wasFailing: boolean): void {
    const { rig, isLasting } = this.#options
    const failed = rig.failedCalls()
    if (isLasting ? failed > 0 || wasFailing : wasFailing) this.#count(true)
    else for (let call = 0; call < failed; call++) this.#count(false)
  }

  #count(isKilled: boolean): void {
    this.#options.onFault({ event: this.#newest, isKilled })
  }

  get #newest(): string {
    return this.#record?.shown.at(-1)?.event.type ?? "none"
  }

  /** What is lost is reported as well. */
  #break(what: string): void {
    this.#isBroken = true
    this.#options.report("broken", this.#newest, what)
  }
}
