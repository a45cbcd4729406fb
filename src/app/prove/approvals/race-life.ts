// One life of a host whose clients race: each request for approval is answered by all of them at once, with yes and no.
// Ends when the host is killed, while answers are under way.
import { setTimeout as sleep } from "node:timers/promises"
import type { HouseClient } from "../../../clients/house/house-client.ts"
import type { SendOutcome, WatchItem } from "../../../contract/host-port.ts"
import { openApprovals, type ApprovalState } from "../../../features/approvals/state.ts"
import { accepted, messageOf } from "../../app-fault.ts"
import type { DoorClient, DoorMemory } from "../crash/doors/door-client.ts"
import { reachHost, type LaneHome, type LaneKind, type Started } from "../crash/lane-kind.ts"
import { SessionRecord } from "../crash/session-record.ts"
import type { Report } from "../violation.ts"
import type { Answers } from "./answers.ts"
import type { AnswerTally } from "./answer-tally.ts"

export interface RaceOptions {
  readonly home: LaneHome
  readonly kind: LaneKind
  readonly below: (below: number) => number
  readonly tally: AnswerTally
  readonly report: Report
  readonly signal: AbortSignal
  readonly memory: DoorMemory
  readonly answers: Answers
  /** Undefined in the first life of a session, which creates it. */
  readonly record: SessionRecord | undefined
  /** Requests that are answered before the kill. */
  readonly races: number
}

const NATIVE_CLIENTS = 3
/** Of each native client for one request. */
const MAX_BURST = 40
const MAX_HEAD_START_MS = 10
/** One request in so many is also answered by `turnhouse approve`. */
const COMMAND_EVERY = 15
const MAX_KILL_MS = 6
/** A host must start, and a session must move on, within this time, also on a busy machine. */
const PATIENCE_MS = 60_000
const otherDigest = "0".repeat(64)

export class RaceLife {
  record: SessionRecord | undefined
  /** Resolves when the host is dead, and every answer has come or was cut off. */
  readonly ended: Promise<void>
  readonly #options: RaceOptions
  readonly #over = new AbortController()
  readonly #raced = new Set<string>()
  readonly #pending = new Set<Promise<void>>()
  readonly #clients: HouseClient[] = []
  #door: DoorClient | undefined
  #commands = 0
  #isPrompted = false
  #stuck: NodeJS.Timeout | undefined

  constructor(options: RaceOptions) {
    this.#options = options
    this.record = options.record
    this.ended = this.#run()
  }

  async #run(): Promise<void> {
    const { home, kind, memory, signal } = this.#options
    const started = kind.start(home, memory, this.record?.sessionId)
    void started.process.exited.then(({ code }) => this.#fail(`the host exited by itself (code ${code})`))
    const end = () => this.#over.abort()
    signal.addEventListener("abort", end, { once: true })
    this.#stuck = setTimeout(() => this.#fail(`nothing happened for ${PATIENCE_MS / 1000} s`), PATIENCE_MS)
    const over = new Promise((resolve) => this.#over.signal.addEventListener("abort", resolve, { once: true }))
    const open = this.#open(started).catch((fault: unknown) => this.#fail(messageOf(fault)))
    await over
    clearTimeout(this.#stuck)
    signal.removeEventListener("abort", end)
    started.process.signal("SIGKILL")
    await started.process.exited
    await open
    await Promise.all(this.#clients.map(({ closed }) => closed))
    this.#door?.close()
    await Promise.all(this.#pending)
    this.record?.disconnect()
  }

  async #open(started: Started): Promise<void> {
    const { home, kind, memory, report } = this.#options
    for (let number = 0; number < NATIVE_CLIENTS; number++) {
      const client = await reachHost(kind, home, started, () => this.#isOver)
      if (client === undefined) return
      this.#clients.push(client)
    }
    const [watcher] = this.#clients
    if (watcher === undefined) return
    const sessionId = this.record?.sessionId ?? (await kind.create(home, started, watcher, memory))
    if (sessionId === "" || this.#isOver) return
    this.record ??= new SessionRecord(sessionId, report)
    const { handle } = accepted(await watcher.open(sessionId))
    for (const client of this.#clients) if (client !== watcher) accepted(await client.open(sessionId))
    this.#door = await kind.connect(home, started, sessionId, { memory, signal: this.#over.signal })
    await handle.watch(this.record.cursor, (item) => this.#take(item))
    this.#act()
  }

  get #isOver(): boolean {
    return this.#over.signal.aborted
  }

  #take(item: WatchItem): void {
    if (this.record === undefined || item.kind === "lost") return
    this.record.take(item)
    if (item.kind !== "event") return
    this.#stuck?.refresh()
    if (item.recorded.event.type === "turn.ended") this.#isPrompted = false
    this.#act()
  }

  #act(): void {
    const { record } = this
    if (record === undefined || this.#door === undefined || this.#isOver) return
    const { turn, waiting } = record.state
    if (turn?.parked !== undefined) return this.#track(this.#resume())
    if (turn === undefined && waiting.length === 0 && !this.#isPrompted) return this.#prompt(record)
    const open = openApprovals(record.state).filter(({ id }) => !this.#raced.has(id))
    for (const approval of open) this.#race(approval)
  }

  async #resume(): Promise<void> {
    await this.#send({ type: "resume" })
  }

  /** A visitor may confirm only what its own messages lead to, so the client of the door sends them. */
  #prompt({ cursor }: SessionRecord): void {
    this.#isPrompted = this.#door?.prompt(`message after ${cursor}`) === true
  }

  #race(approval: ApprovalState): void {
    this.#raced.add(approval.id)
    this.#options.tally.approvals += 1
    if (this.#raced.size === this.#options.races) this.#killSoon()
    this.#track(this.#answerAll(approval))
  }

  /** Sometimes the slower clients get a head start. */
  async #answerAll(approval: ApprovalState): Promise<void> {
    const { below } = this.#options
    if (below(COMMAND_EVERY) === 0) {
      const command = this.#answerByCommand(approval)
      if (below(2) === 0) await command
      else this.#track(command)
    }
    this.#answerThroughDoor(approval)
    if (below(2) === 0) await sleep(below(MAX_HEAD_START_MS))
    const bursts = this.#clients.map((client) => ({ client, length: 1 + below(MAX_BURST) }))
    const changedAt = below(MAX_BURST)
    for (let round = 0; round < MAX_BURST; round++) {
      if (round === changedAt) this.#track(this.#answerChanged(approval))
      for (const { client, length } of bursts) if (round < length) this.#track(this.#answer(client, approval))
    }
    this.#answerThroughDoor(approval)
  }

  #answerThroughDoor({ id }: ApprovalState): void {
    const { below, tally, kind } = this.#options
    if (!this.#isOver && this.#door?.approve(id, below(3) === 0) === true) tally.answer(kind.doorName)
  }

  /** A command would start a host of its own if it found none. */
  #killSoon(): void {
    const { below, tally } = this.#options
    setTimeout(() => {
      if (this.#commands > 0) return this.#killSoon()
      if (this.#isOver) return
      tally.kills += 1
      if (this.#pending.size > 0) tally.raced += 1
      this.#over.abort()
    }, below(MAX_KILL_MS))
  }

  async #answer(client: HouseClient, { id, digest }: ApprovalState): Promise<void> {
    const { below, tally, answers } = this.#options
    const isApproved = below(3) === 0
    const shown = below(2) === 0 ? { digest } : {}
    const sent = await this.#send({ type: "approve", approvalId: id, approved: isApproved, ...shown }, client)
    if (sent.kind === "accepted") {
      answers.accept(id, isApproved)
      this.record?.acknowledge(sent.seq)
    } else answers.refuse(sent.refusal)
    if (isAnswered(sent)) tally.answer("native")
  }

  async #answerChanged({ id }: ApprovalState): Promise<void> {
    const { tally, answers } = this.#options
    const sent = await this.#send({ type: "approve", approvalId: id, approved: true, digest: otherDigest })
    if (sent.kind === "accepted") return answers.acceptChanged(id)
    answers.refuse(sent.refusal)
    if (!isAnswered(sent)) return
    tally.changed += 1
    tally.answer("native")
  }

  async #answerByCommand({ id }: ApprovalState): Promise<void> {
    const { home, below, tally, answers } = this.#options
    const isApproved = below(2) === 0
    this.#commands += 1
    const { code } = await home.workspace.turnhouse(["approve", id, ...(isApproved ? [] : ["--deny"])])
    this.#commands -= 1
    if (code === 0) answers.accept(id, isApproved)
    tally.answer("command")
  }

  async #send(
    command: Parameters<HouseClient["send"]>[1],
    client: HouseClient | undefined = this.#clients[0],
  ): Promise<SendOutcome> {
    if (this.record === undefined || client === undefined) throw new Error("there is no session yet")
    return await client.send(this.record.sessionId, command)
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((fault: unknown) => this.#fail(messageOf(fault)))
      .finally(() => this.#pending.delete(tracked))
    this.#pending.add(tracked)
  }

  #fail(what: string): void {
    if (this.#isOver) return
    this.#options.report("broken", this.record?.shown.at(-1)?.event.type ?? "none", what)
    this.#over.abort()
  }
}

/** The others were cut off by the kill. */
function isAnswered(sent: SendOutcome): boolean {
  return sent.kind === "accepted" || sent.refusal.code.startsWith("approval.")
}
