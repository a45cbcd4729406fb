// One life of a host: it is started, the clients come back and continue the conversation, until the planned kill. Afterwards
// `close` waits until the process is gone and everything that it sent has been read.
import { setTimeout as sleep } from "node:timers/promises"
import type { HouseClient } from "../../../clients/house/house-client.ts"
import type { WatchItem } from "../../../contract/host-port.ts"
import { describeRefusal } from "../../../contract/text/describe-refusal.ts"
import { accepted, messageOf } from "../../app-fault.ts"
import type { Exit, HostProcess } from "../host-process.ts"
import type { Report } from "../violation.ts"
import type { DoorClient, DoorMemory } from "./doors/door-client.ts"
import { makeOlder } from "./older-home.ts"
import { killLogWriter } from "./kill-log-writer.ts"
import type { KillPlan, KillPlanner } from "./kill-plan.ts"
import { reachHost, type LaneHome, type LaneKind } from "./lane-kind.ts"
import { commandOf, type Play, type Next } from "./play.ts"
import { SessionRecord } from "./session-record.ts"
import type { Tally } from "./tally.ts"

export interface LifeOptions {
  readonly home: LaneHome
  readonly kind: LaneKind
  readonly planner: KillPlanner
  readonly tally: Tally
  readonly report: Report
  readonly signal: AbortSignal
  readonly memory: DoorMemory
  readonly play: Play
  /** Undefined in the first life of a session, which creates it. */
  readonly record: SessionRecord | undefined
}

export type End =
  | { readonly kind: "killed"; readonly event: string }
  /** The conversation is over, and the host was killed at rest. */
  | { readonly kind: "over" }
  /** The proof was ended, or has failed. */
  | { readonly kind: "ended" }

/** A host must start, and a session must move on, within this time, also on a busy machine. */
const PATIENCE_MS = 60_000
/** After this silence clients ask the agents of the session to continue, which may be parked. */
const SILENCE_MS = 2000
const RETRY_MS = 100
const SETTLE_MS = 20

export class Life {
  readonly ended: Promise<End>
  /** Resolves when all clients are connected, or the life is over. */
  readonly connected: Promise<void>
  process: HostProcess | undefined
  record: SessionRecord | undefined
  plan: KillPlan | undefined
  readonly #options: LifeOptions
  readonly #ended = Promise.withResolvers<End>()
  readonly #connected = Promise.withResolvers<void>()
  readonly #abort = new AbortController()
  readonly #sent = new Set<string>()
  /** What the life waits for. */
  #stage = "the start of the host"
  #isConnected = false
  #isArmed = false
  /** The host was told to stop. */
  #isStopping = false
  #writes = 0
  /** The host that was started while the other one stops. */
  #successor: HostProcess | undefined
  #client: HouseClient | undefined
  #door: DoorClient | undefined
  #silence: NodeJS.Timeout | undefined
  #stuck: NodeJS.Timeout | undefined

  constructor(options: LifeOptions) {
    this.#options = options
    this.record = options.record
    this.ended = this.#ended.promise
    this.connected = this.#connected.promise
    this.#plan(options.kind.migrates && options.record !== undefined)
    options.signal.addEventListener("abort", () => this.#end({ kind: "ended" }), { once: true })
    this.#run().catch((fault: unknown) => this.#failUnlessStopping(messageOf(fault)))
  }

  /** Whether the process is only suspended. */
  get isFrozen(): boolean {
    return this.plan?.point === "frozen" && this.#abort.signal.aborted
  }

  onLogGrowth(): void {
    if (!this.#isArmed) return
    this.#writes -= 1
    if (this.#writes <= 0) this.#strike(this.#newest)
  }

  onEffect(): void {
    if (this.plan?.point === "effect") this.#strike(this.#newest)
  }

  /** Resolves when the process is gone; a suspended one stays. */
  async close(): Promise<void> {
    this.#end({ kind: "ended" })
    if (this.#successor !== undefined) await this.#killBoth(this.#successor)
    if (this.isFrozen) {
      this.#client?.close()
      this.#door?.close()
    } else {
      this.process?.signal("SIGKILL")
      await this.process?.exited
      await this.#client?.closed
      this.#door?.close()
    }
    this.record?.disconnect()
  }

  async #run(): Promise<void> {
    const { home, kind, memory, record, report } = this.#options
    if (this.plan?.point === "migrating") await this.#makeOlder()
    const started = kind.start(home, memory, record?.sessionId)
    this.process = started.process
    void started.process.exited.then((exit) => this.#onExit(exit))
    this.#stuck = setTimeout(
      () => this.#fail(`nothing happened for ${PATIENCE_MS / 1000} s while the proof waited for ${this.#stage}`),
      PATIENCE_MS,
    )
    const client = await reachHost(kind, home, started, () => this.#isOver)
    if (client === undefined) return
    this.#client = client
    this.#stage = "the session"
    const sessionId = record?.sessionId ?? (await kind.create(home, started, client, memory))
    if (sessionId === "" || this.#isOver) return
    this.record ??= new SessionRecord(sessionId, report)
    const { handle } = accepted(await client.open(sessionId))
    await handle.watch(this.record.cursor, (item) => this.#take(item))
    if (this.#isOver) return
    this.#stage = `the client of the ${kind.name} lane`
    const onProblem = (problem: string) => void (this.#stage = `the client of the ${kind.name} lane (${problem})`)
    this.#door = await kind.connect(home, started, sessionId, { memory, signal: this.#abort.signal, onProblem })
    this.#stage = "the session to continue"
    this.#isConnected = true
    this.#connected.resolve()
    this.#act()
  }

  #onExit({ code, signal }: Exit): void {
    if (this.#isStopping) return this.#end({ kind: "killed", event: this.#newest }) // it was faster
    this.#fail(`the host exited by itself (${signal ?? `code ${code}`})`)
  }

  /** The next host finds the log of an earlier release. What that changes of the file is over before it is watched. */
  async #makeOlder(): Promise<void> {
    const { workspace } = this.#options.home
    killLogWriter(workspace.home)
    await makeOlder(workspace, this.#writes % 2 === 0 ? 2 : 1)
    await sleep(SETTLE_MS)
    this.#isArmed = true
  }

  get #isOver(): boolean {
    return this.#abort.signal.aborted
  }

  get #newest(): string {
    return this.record?.shown.at(-1)?.event.type ?? "none"
  }

  #plan(canMigrate = false): void {
    const { planner, tally } = this.#options
    this.#isArmed = false
    this.plan = tally.isComplete ? undefined : planner.next(canMigrate)
    this.#writes = this.plan?.writes ?? 0
    if (this.plan?.waitMs === undefined) return
    const { plan } = this
    setTimeout(() => this.plan === plan && this.#strike(this.#newest), plan.waitMs).unref()
  }

  #take(item: WatchItem): void {
    if (this.record === undefined || item.kind === "lost") return
    this.record.take(item)
    if (item.kind !== "event" || this.#isOver) return
    this.#stuck?.refresh()
    this.#silence?.refresh()
    const { type } = item.recorded.event
    if (this.plan?.isDue(type) === true) this.#reachBoundary(type)
    this.#act()
  }

  #reachBoundary(event: string): void {
    const point = this.plan?.point
    if (point === "closing") this.#stop()
    if (point === "written" || point === "writer" || point === "closing") this.#isArmed = true
    else if (point !== "effect" && point !== "random" && point !== "migrating") this.#strike(event)
  }

  /** The kill. A death of the log writer does not end the life of the host. */
  #strike(event: string): void {
    if (this.#isOver || this.plan === undefined) return
    const { home, tally } = this.#options
    const { point } = this.plan
    if (point === "writer" || point === "both" || point === "migrating") killLogWriter(home.workspace.home)
    if (point === "writer") {
      tally.count(event, point)
      void this.record?.compare(home.log).catch((fault: unknown) => this.#fail(messageOf(fault)))
      return this.#plan()
    }
    if (point === "handover") this.#startSuccessor()
    else this.process?.signal(point === "frozen" ? "SIGSTOP" : "SIGKILL")
    this.#end({ kind: "killed", event })
  }

  #stop(): void {
    this.#isStopping = true
    this.process?.signal("SIGTERM")
  }

  #startSuccessor(): void {
    const { home, kind, memory } = this.#options
    this.#stop()
    this.#successor = kind.start(home, memory, this.record?.sessionId).process
  }

  /** One while it stops, or when it has; the other one while it starts, or when it has taken the session. */
  async #killBoth(successor: HostProcess): Promise<void> {
    const { planner } = this.#options
    await Promise.all(
      [this.process, successor].map(async (host) => {
        await sleep(planner.handoverMs())
        host?.signal("SIGKILL")
      }),
    )
    await successor.exited
  }

  #end(end: End): void {
    clearTimeout(this.#stuck)
    clearTimeout(this.#silence)
    this.#abort.abort()
    this.#connected.resolve()
    this.#ended.resolve(end)
  }

  #fail(what: string): void {
    if (this.#isOver) return
    this.#options.report("broken", this.#newest, what)
    this.#end({ kind: "ended" })
  }

  /** A host that was told to stop refuses connections; its exit ends the life. */
  #failUnlessStopping(what: string): void {
    if (!this.#isStopping) this.#fail(what)
  }

  #act(): void {
    if (!this.#isConnected || this.#isOver || this.record === undefined) return
    this.#silence ??= setTimeout(() => this.#wakeAgents(), SILENCE_MS)
    const next = this.#options.play.next(this.record.state, this.record.shown)
    if (next === "over") {
      this.process?.signal("SIGKILL")
      return this.#end({ kind: "over" })
    }
    if (next === undefined || this.#sent.has(next.key)) return
    this.#sent.add(next.key)
    this.#stage = `what follows '${next.key}'`
    this.#send(next).catch((fault: unknown) => this.#failUnlessStopping(messageOf(fault)))
  }

  async #send(next: Next): Promise<void> {
    const { record } = this
    const door = this.#door
    if (record === undefined || this.#client === undefined) return
    if (next.kind === "prompt" && next.prompt.throughDoor) return void door?.prompt(next.prompt.text)
    if (next.kind === "approval" && next.throughDoor && door?.approve(next.approvalId, next.isApproved) === true) return
    const sent = await this.#client.send(record.sessionId, commandOf(next))
    if (sent.kind === "accepted") return record.acknowledge(sent.seq)
    if (sent.refusal.code === "approval.settled" || sent.refusal.code === "host.gone") return
    if (this.#isOver || this.#isStopping) return
    if (sent.refusal.code !== "log.unavailable" && next.kind === "prompt")
      return this.#fail(`the message was refused: ${describeRefusal(sent.refusal)}`)
    this.#stage = `'${next.key}', which was refused: ${describeRefusal(sent.refusal)}`
    await sleep(RETRY_MS)
    this.#sent.delete(next.key)
    this.#act()
  }

  /** An agent whose turn was left open too often is parked, and waits for a person. */
  #wakeAgents(): void {
    const agents = this.record?.state.children ?? []
    for (const { id } of agents) void this.#client?.send(id, { type: "resume" })
    this.#silence = setTimeout(() => this.#wakeAgents(), SILENCE_MS)
  }
}
