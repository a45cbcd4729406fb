// One simulated session: hosts on one disk, clients that send what the plan says and answer requests, and the faults of the
// plan. It goes on without faults until everything is at rest; then everything is checked.
import type { EventType } from "../../../contract/events.ts"
import type { WatchItem } from "../../../contract/host-port.ts"
import { limits } from "../../../contract/limits.ts"
import { openApprovals } from "../../../features/approvals/state.ts"
import type { NewSession } from "../../../host/open-sessions.ts"
import type { SessionState } from "../../../session/state.ts"
import { pick } from "../seeded.ts"
import type { Violation } from "../violation.ts"
import { actionOf, type ActionName } from "./actions.ts"
import { ApprovalAnswers, otherDigest, type Approve } from "./approval-answers.ts"
import { checkSession } from "./check-session.ts"
import { SimulatedProcess, type Scheduler } from "./scheduler.ts"
import { planSession, type Fault, type RandomPoint, type SessionPlan } from "./session-plan.ts"
import { ShownEvents } from "./shown-events.ts"
import { SimulatedClient, type Answer } from "./simulated-client.ts"
import { SimulatedFaults, type FaultActions } from "./simulated-faults.ts"
import { SimulatedHost, type HostWorld } from "./simulated-host.ts"
import { simulatedModels } from "./simulated-models.ts"
import { simulatedTools, type ToolEffect } from "./simulated-tools.ts"
import { SimulatedWriter, type SimulatedDisk } from "./simulated-writer.ts"
import { StoredSessions, type StoredSession } from "./stored-sessions.ts"
import { Trace } from "./trace.ts"

export interface StruckFault {
  readonly point: Fault["point"]
  /** At which it struck, or the newest stored one. */
  readonly event: string
}

export interface SessionOutcome {
  readonly violations: readonly Omit<Violation, "home">[]
  readonly struck: readonly StruckFault[]
  readonly cuts: number
  readonly answers: number
  readonly handOvers: number
  readonly fenced: number
  /** Calls whose outcome is unknown. */
  readonly unknown: number
  readonly events: number
  readonly hash: number
  readonly trace: readonly string[]
}

export interface SessionOptions {
  readonly scheduler: Scheduler
  readonly disk: SimulatedDisk
  readonly seed: number
  readonly targets: readonly EventType[]
  /** Makes the plan smaller, for a shorter trace. */
  readonly changePlan?: (plan: SessionPlan) => SessionPlan
  readonly keepsTrace?: boolean
}

const SESSION_ID = "01890000-0000-7000-8000-000000000001"
const POLL_MS = 4
/** Simulated time after which a session that is not at rest never will be. */
const MAX_PLAY_MS = 15_000
const MAX_SETTLE_MS = 300_000
/** How long an action waits for its time. */
const MAX_WAIT_MS = 150
/** How long a session whose clients have nothing to send may work on before its faults end. */
const MAX_QUIET_MS = 1500
const MAX_ANSWER_DELAY_MS = 6
/** What a host that was suspended needs to learn that its sessions have other owners. */
const AFTER_THAW_MS = 100

export async function simulateSession(options: SessionOptions): Promise<SessionOutcome> {
  const { scheduler, disk, seed } = options
  scheduler.reset(seed)
  disk.erase()
  const session = new SimulatedSession(options)
  await scheduler.run(() => session.isOver)
  return session.outcome()
}

class SimulatedSession {
  isOver = false
  readonly #scheduler: Scheduler
  readonly #plan: SessionPlan
  readonly #trace: Trace
  readonly #violations: Omit<Violation, "home">[] = []
  readonly #struck: StruckFault[] = []
  readonly #stored: StoredSessions
  readonly #answers = new ApprovalAnswers()
  readonly #effects: ToolEffect[] = []
  readonly #hosts: SimulatedHost[] = []
  readonly #clients: SimulatedClient[] = []
  readonly #shown = new Map<SimulatedClient, ShownEvents>()
  readonly #faults: SimulatedFaults
  readonly #writer: SimulatedWriter
  readonly #world: HostWorld
  readonly #actions: ActionName[]
  readonly #acknowledged: { readonly promptId: string; readonly seq: number }[] = []
  readonly #startedAt: number
  #waitsSince: number
  #sent = 0
  #cuts = 0
  #playEndedAt: number | undefined
  /** A suspended host must have gone on before the session is over. */
  #unsettledUntil = 0

  constructor({ scheduler, disk, seed, targets, changePlan = same, keepsTrace = false }: SessionOptions) {
    this.#scheduler = scheduler
    this.#startedAt = this.#waitsSince = scheduler.now
    this.#plan = changePlan(planSession(seed, targets, scheduler.below))
    this.#actions = [...this.#plan.actions]
    this.#trace = new Trace(keepsTrace, () => scheduler.now)
    this.#stored = new StoredSessions((...violation) => this.#report(...violation))
    this.#faults = new SimulatedFaults(this.#plan.faults, this.#faultActions(), scheduler.below)
    this.#writer = new SimulatedWriter(scheduler, disk, {
      beforeCommit: (request, host) => this.#faults.beforeCommit(request, host),
      afterCommit: (request, answer, host) => {
        this.#trace.add(host.name, `${request.kind} ${"lines" in request ? request.lines.join() : ""} ${answer.kind}`)
        this.#stored.take(request, answer)
        this.#faults.afterCommit(request, answer, host)
      },
    })
    this.#world = this.#hostWorld(disk)
    for (let host = 0; host < this.#plan.hosts; host++) this.#startHost()
    for (let client = 0; client < this.#plan.clients; client++) this.#startClient(client)
    scheduler.schedule(POLL_MS, () => this.#drive(), outside)
  }

  outcome(): SessionOutcome {
    const histories = [...this.#stored.all.values()].map(({ events }) => events)
    const report = this.#report.bind(this)
    if (this.#violations.length === 0) {
      this.#answers.check(histories, report)
      checkSession({ histories, plan: this.#plan, effects: this.#effects, acknowledged: this.#acknowledged, report })
    }
    return {
      violations: this.#violations,
      struck: this.#struck,
      cuts: this.#cuts,
      answers: this.#answers.count,
      handOvers: this.#stored.handOvers,
      fenced: this.#stored.fenced,
      unknown: histories.flat().filter(({ event }) => event.type === "tool.unsettled").length,
      events: histories.flat().length,
      hash: this.#trace.hash,
      trace: this.#trace.lines,
    }
  }

  get #session(): StoredSession | undefined {
    return this.#stored.find(SESSION_ID)
  }

  #report(kind: Violation["kind"], event: string, what: string): void {
    this.#violations.push({ kind, event, what })
    this.#trace.add("VIOLATION", `${kind} at ${event}: ${what}`)
    this.isOver = true
  }

  #hostWorld(disk: SimulatedDisk): HostWorld {
    const scheduler = this.#scheduler
    const tools = simulatedTools({ scheduler, effects: this.#effects, observer: this.#faults })
    return {
      scheduler,
      disk,
      writer: this.#writer,
      models: simulatedModels(this.#plan, () => scheduler.now),
      tools,
      session: { ...newSession, sessionId: SESSION_ID },
      isAlive: ({ pid }) => this.#hosts.some((host) => host.pid === pid && host.process.state !== "dead"),
      onExit: (host) => {
        this.#trace.add(host.process.name, "exits")
        if (!this.#hosts.some(({ process }) => process.state !== "dead"))
          this.#startHost(this.#scheduler.between(5, 200))
      },
      warn: (host, message) => this.#trace.add(host.process.name, `warning: ${message}`),
    }
  }

  #startHost(afterMs = 0): void {
    this.#scheduler.schedule(
      afterMs,
      () => this.#hosts.push(new SimulatedHost(this.#world, this.#hosts.length + 1)),
      outside,
    )
  }

  #startClient(index: number): void {
    const scheduler = this.#scheduler
    const client: SimulatedClient = new SimulatedClient({
      scheduler,
      sessionId: SESSION_ID,
      isCreator: index === 0,
      name: `client ${index}`,
      delayMs: scheduler.between(0.05, index === 2 ? 8 : 1),
      cutOneOf: () => (this.#playEndedAt === undefined ? this.#plan.cutOneOf : 0),
      findHost: () => this.#findHost(),
      onItem: (from, item) => this.#onItem(from, item),
      onCut: (frame) => {
        this.#cuts += 1
        this.#trace.add(client.principal, `cut after ${frame}`)
      },
      onGap: () => this.#shown.get(client)?.disconnect(),
      onSent: (host, line) => this.#faults.onSent(host, line),
    })
    this.#clients.push(client)
    this.#shown.set(
      client,
      new ShownEvents(
        () => this.#session,
        (...violation) => this.#report(...violation),
      ),
    )
  }

  /** The owner if it runs, else any. */
  #findHost(): SimulatedHost | undefined {
    const running = this.#hosts.filter((host) => host.isRunning)
    const owner = running.find((host) => host.epoch !== undefined && host.epoch === this.#session?.ownerEpoch)
    return owner ?? running[this.#scheduler.below(Math.max(1, running.length))]
  }

  #onItem(client: SimulatedClient, item: WatchItem): void {
    if (item.kind === "event")
      this.#trace.add(client.principal, `is shown ${item.recorded.seq} ${item.recorded.event.type}`)
    else this.#trace.add(client.principal, `gets ${JSON.stringify(item)}`)
    this.#shown.get(client)?.take(item)
    if (item.kind !== "event") return
    const { event } = item.recorded
    if (event.type === "approval.requested" || event.type === "child.asked")
      this.#answer(client, event.approvalId, event.digest)
  }

  #answer(client: SimulatedClient, approvalId: `apr_${string}`, digest: string): void {
    const { below } = this.#scheduler
    for (let count = 0; count < this.#plan.answers; count++) {
      const approved = below(3) > 0
      const bound = below(4) === 0 ? { digest: below(2) === 0 ? digest : otherDigest } : {}
      const more = approved ? pick(answerVariants, below) : {}
      this.#approve(client, { type: "approve", approvalId, approved, ...bound, ...more })
    }
  }

  #approve(client: SimulatedClient, command: Approve, sessionId = SESSION_ID): void {
    const onAnswer = (answer: Answer) => this.#answers.add(command, client.principal, answer)
    client.send(command, onAnswer, { sessionId, afterMs: this.#scheduler.between(0, MAX_ANSWER_DELAY_MS) })
  }

  #drive(): void {
    if (this.isOver) return
    if (this.#playEndedAt === undefined) this.#play()
    else this.#settle(this.#playEndedAt)
    const quietMs = this.#scheduler.now - this.#waitsSince
    this.#scheduler.schedule(Math.max(POLL_MS, quietMs / 8), () => this.#drive(), outside)
  }

  #play(): void {
    const { now } = this.#scheduler
    const isLate = now - this.#startedAt > MAX_PLAY_MS
    if (this.#actions.length > 0 && !isLate) return this.#act()
    const isQuiet = this.#clients.every((client) => client.isIdle)
    if (isLate || (isQuiet && (this.#isAtRest || now - this.#waitsSince > MAX_QUIET_MS))) {
      this.#faults.stop()
      this.#playEndedAt = now
    }
  }

  #act(): void {
    const [name] = this.#actions
    if (name === undefined || this.#session === undefined) return
    const { when, command } = actionOf(name)
    const { state } = this.#session
    const isBusy = state.turn !== undefined || state.compaction !== undefined
    const { now, below } = this.#scheduler
    const isTime = when === "any" || (when === "busy") === isBusy
    if (!isTime && (isBusy || now - this.#waitsSince < MAX_WAIT_MS)) return
    this.#actions.shift()
    this.#waitsSince = now
    if (!isTime) return
    this.#sent += 1
    const sent = command(state, this.#sent)
    const client = this.#clients[below(this.#clients.length)]
    if (sent === undefined || client === undefined) return
    this.#trace.add(client.principal, `sends ${JSON.stringify(sent)}`)
    client.send(sent, (answer) => {
      this.#trace.add(client.principal, `is answered ${JSON.stringify(answer)}`)
      if (sent.type === "prompt" && answer.kind === "accepted")
        this.#acknowledged.push({ promptId: sent.promptId, seq: answer.seq })
    })
  }

  /** Without faults: whatever holds the session up is resolved, until all clients have seen all there is. */
  #settle(since: number): void {
    const { now } = this.#scheduler
    const [client] = this.#clients
    if (now - since > MAX_SETTLE_MS) {
      const newest = this.#session?.events.at(-1)?.event.type ?? "none"
      this.#report("broken", newest, `the session does not come to rest in ${MAX_SETTLE_MS / 1000} simulated seconds`)
      return
    }
    const count = this.#session?.events.length ?? 0
    const isShown = this.#clients.every((one) => one.isIdle && (this.#shown.get(one)?.count ?? 0) === count)
    if (this.#isAtRest && isShown && now > this.#unsettledUntil) this.isOver = true
    else if (client?.isIdle === true && now - this.#waitsSince > MAX_WAIT_MS) this.#help(client)
  }

  /** Answers what is open and continues what rests, in agents too. */
  #help(client: SimulatedClient): void {
    this.#waitsSince = this.#scheduler.now
    for (const [sessionId, { state }] of this.#stored.all) {
      const [open] = openApprovals(state)
      if (open !== undefined) {
        const command = { type: "approve", approvalId: open.id, approved: true } as const
        this.#approve(client, command, sessionId)
      }
      if (state.asleep) client.send({ type: "wake" }, () => {}, { sessionId })
      else if (state.turn?.parked !== undefined) client.send({ type: "resume" }, () => {}, { sessionId })
    }
  }

  get #isAtRest(): boolean {
    return this.#session !== undefined && this.#stored.all.values().every(({ state }) => isAtRest(state))
  }

  #faultActions(): FaultActions {
    const scheduler = this.#scheduler
    return {
      crash: (host, what) => this.#crash(host, what),
      freeze: (host) => this.#freeze(host),
      random: (point) => this.#strikeAtRandom(point),
      after: (ms, run) => void scheduler.schedule(ms, run, outside),
      count: (point, event = this.#session?.events.at(-1)?.event.type ?? "none") => {
        this.#struck.push({ point, event })
        this.#trace.add("FAULT", `${point} at ${event}`)
      },
    }
  }

  #crash(process: SimulatedProcess, what: "host" | "power"): void {
    const dead = what === "power" ? this.#hosts : this.#hosts.filter((host) => host.process === process)
    for (const host of dead) {
      if (host.process.state === "dead") continue
      host.crash()
      this.#startHost(this.#scheduler.between(5, 200))
    }
    if (what === "power") this.#writer.crash()
  }

  /** Another host runs meanwhile. */
  #freeze(process: SimulatedProcess): void {
    const frozenMs = limits.leaseMs + this.#scheduler.between(1000, 4000)
    this.#unsettledUntil = this.#scheduler.now + frozenMs + AFTER_THAW_MS
    this.#scheduler.freeze(process)
    this.#scheduler.schedule(frozenMs, () => this.#scheduler.thaw(process), outside)
    if (!this.#hosts.some((host) => host.isRunning)) this.#startHost(this.#scheduler.between(5, 200))
  }

  #strikeAtRandom(point: RandomPoint): void {
    const { below } = this.#scheduler
    const running = this.#hosts.filter((host) => host.isRunning)
    const host = running[below(Math.max(1, running.length))]
    if (point === "writer") return this.#writer.crash()
    if (point === "full") return this.#fillDisk()
    if (host === undefined) return
    if (point === "freeze") this.#freeze(host.process)
    else if (point === "clock") host.process.clockAheadMs += below(2 * JUMP_MS) - JUMP_MS
    else if (point === "leave") this.#leave(host)
    else this.#crash(host.process, point)
  }

  #leave(host: SimulatedHost): void {
    host.leave()
    this.#startHost(this.#scheduler.between(5, 50))
  }

  #fillDisk(): void {
    this.#writer.isFull = true
    this.#scheduler.schedule(this.#scheduler.between(20, 400), () => (this.#writer.isFull = false), outside)
  }
}

const same = (plan: SessionPlan) => plan

/** The clock of a host is set forward or back by up to this. */
const JUMP_MS = 20_000

function isAtRest(state: SessionState): boolean {
  const { turn, waiting, compaction, asleep, children } = state
  const isIdle = turn === undefined && waiting.length === 0 && compaction === undefined
  return isIdle && !asleep && children.length === 0 && openApprovals(state).length === 0
}

/** What an approval can come with. */
const answerVariants: readonly Partial<Approve>[] = [
  {},
  {},
  { input: { changed: true } },
  { remember: { pattern: "*", scope: "session" } },
]

const outside = new SimulatedProcess("outside")

const newSession: NewSession = {
  origin: "simulation",
  org: "local",
  owner: "you",
  preset: "trusting",
  cwd: "/",
  model: "scripted",
  toolMode: "Smart",
  limits: { stepsPerTurn: 20, depth: 2, children: 2 },
  budget: {},
}
