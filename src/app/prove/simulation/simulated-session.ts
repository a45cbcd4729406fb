// One simulated session: hosts on one disk, clients that send what the plan says and answer requests, and the faults of the
// plan. It goes on without faults until everything is at rest; then everything is checked.
import type { EventType } from "../../../contract/events.ts"
import type { WatchItem } from "../../../contract/host-port.ts"
import type { ApprovalId } from "../../../contract/ids.ts"
import { openApprovals } from "../../../features/approvals/state.ts"
import type { SessionState } from "../../../session/state.ts"
import { pick } from "../seeded.ts"
import type { Report, Violation } from "../violation.ts"
import { actionOf, type ActionName } from "./actions.ts"
import { ApprovalAnswers, otherDigest, type Approve } from "./approval-answers.ts"
import { checkSession } from "./check-session.ts"
import type { Scheduler } from "./scheduler.ts"
import { approvalKinds, planSession, type ApprovalKind, type SessionPlan } from "./session-plan.ts"
import { ShownEvents } from "./shown-events.ts"
import { SimulatedClient, type Answer } from "./simulated-client.ts"
import { outside, SimulatedHome, type StruckFault } from "./simulated-home.ts"
import type { SimulatedDisk } from "./simulated-writer.ts"
import type { StoredSession } from "./stored-sessions.ts"
import { Trace } from "./trace.ts"

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
  readonly #home: SimulatedHome
  readonly #answers = new ApprovalAnswers()
  readonly #clients: SimulatedClient[] = []
  /** Clients of agents that have a host of their own. */
  readonly #agentClients = new Map<string, SimulatedClient>()
  /** By client and session: the root and its agents. */
  readonly #shown = new Map<SimulatedClient, Map<string, ShownEvents>>()
  readonly #actions: ActionName[]
  readonly #acknowledged: { readonly promptId: string; readonly seq: number }[] = []
  readonly #startedAt: number
  #waitsSince: number
  #sent = 0
  #cuts = 0
  #playEndedAt: number | undefined

  constructor({ scheduler, disk, seed, targets, changePlan = same, keepsTrace = false }: SessionOptions) {
    this.#scheduler = scheduler
    this.#startedAt = this.#waitsSince = scheduler.now
    this.#plan = changePlan(planSession(seed, targets, scheduler.below))
    this.#actions = [...this.#plan.actions]
    this.#trace = new Trace(keepsTrace, () => scheduler.now)
    const report: Report = (...violation) => this.#report(...violation)
    this.#home = new SimulatedHome({
      scheduler,
      disk,
      plan: this.#plan,
      session: newSession,
      trace: this.#trace,
      report,
    })
    for (let client = 0; client < this.#plan.clients; client++)
      this.#clients.push(this.#startClient(client, SESSION_ID))
    scheduler.schedule(POLL_MS, () => this.#drive(), outside)
  }

  outcome(): SessionOutcome {
    const histories = [...this.#home.stored.all.values()].map(({ events }) => events)
    const report = this.#report.bind(this)
    if (this.#violations.length === 0) {
      this.#answers.check(histories, report)
      checkSession({
        histories,
        plan: this.#plan,
        effects: this.#home.effects,
        acknowledged: this.#acknowledged,
        report,
      })
    }
    return {
      violations: this.#violations,
      struck: this.#home.struck,
      cuts: this.#cuts,
      answers: this.#answers.count,
      handOvers: this.#home.stored.handOvers,
      fenced: this.#home.stored.fenced,
      unknown: histories.flat().filter(({ event }) => event.type === "tool.unsettled").length,
      events: histories.flat().length,
      hash: this.#trace.hash,
      trace: this.#trace.lines,
    }
  }

  get #session(): StoredSession | undefined {
    return this.#home.stored.find(SESSION_ID)
  }

  #report(kind: Violation["kind"], event: string, what: string): void {
    this.#violations.push({ kind, event, what })
    this.#trace.add("VIOLATION", `${kind} at ${event}: ${what}`)
    this.isOver = true
  }

  #startClient(index: number, sessionId: string): SimulatedClient {
    const scheduler = this.#scheduler
    const client: SimulatedClient = new SimulatedClient({
      scheduler,
      sessionId,
      isCreator: index === 0,
      name: `client ${index}`,
      delayMs: scheduler.between(0.05, index === 2 ? 8 : 1),
      cutOneOf: () => (this.#playEndedAt === undefined ? this.#plan.cutOneOf : 0),
      findHost: () => this.#home.findHost(sessionId),
      onItem: (from, of, item) => this.#onItem(from, of, item),
      onCut: (frame) => {
        this.#cuts += 1
        this.#trace.add(client.principal, `cut after ${frame}`)
      },
      onGap: (of) =>
        this.#shown.get(client)?.forEach((shown, id) => (of === undefined || of === id) && shown.disconnect()),
      onSent: (host, line) => this.#home.faults.onSent(host, line),
    })
    this.#shown.set(client, new Map())
    return client
  }

  #clientOf(sessionId: string): SimulatedClient {
    const known = sessionId === SESSION_ID ? this.#clients[0] : this.#agentClients.get(sessionId)
    const client = known ?? this.#startClient(10 + this.#agentClients.size, sessionId)
    if (known === undefined) this.#agentClients.set(sessionId, client)
    return client
  }

  #shownTo(client: SimulatedClient, sessionId: string): ShownEvents {
    const shown = this.#shown.get(client)?.get(sessionId)
    if (shown !== undefined) return shown
    const stored = () => this.#home.stored.find(sessionId)
    const added = new ShownEvents(stored, (...violation) => this.#report(...violation))
    this.#shown.get(client)?.set(sessionId, added)
    return added
  }

  #onItem(client: SimulatedClient, sessionId: string, item: WatchItem): void {
    this.#trace.add(client.principal, shownText(sessionId, item))
    this.#shownTo(client, sessionId).take(item)
    if (item.kind !== "event") return
    const { event } = item.recorded
    if (event.type === "child.spawned") client.watch(event.childId)
    if (event.type === "child.asked") this.#answer(client, event.approvalId, event.digest, sessionId)
    if (event.type === "approval.requested") this.#answer(client, event.approvalId, event.digest, sessionId)
  }

  #answer(client: SimulatedClient, approvalId: ApprovalId, digest: string, sessionId: string): void {
    const { below } = this.#scheduler
    for (let count = 0; count < this.#plan.answers; count++) {
      const approved = below(3) > 0
      const bound = below(4) === 0 ? { digest: below(2) === 0 ? digest : otherDigest } : {}
      const kind = below(4) === 0 ? pick(approvalKinds, below) : this.#plan.approvals
      const more = approved ? approvalFields[kind] : {}
      this.#approve(client, { type: "approve", approvalId, approved, ...bound, ...more }, sessionId)
    }
  }

  #approve(client: SimulatedClient, command: Approve, sessionId: string): void {
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
      this.#home.faults.stop()
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
    if (now - since > MAX_SETTLE_MS) {
      const newest = this.#session?.events.at(-1)?.event.type ?? "none"
      this.#report("broken", newest, `the session does not come to rest in ${MAX_SETTLE_MS / 1000} simulated seconds`)
      return
    }
    const count = this.#session?.events.length ?? 0
    const isShown = this.#clients.every((one) => one.isIdle && this.#shownTo(one, SESSION_ID).count === count)
    if (this.#isAtRest && isShown && now > this.#home.unsettledUntil) this.isOver = true
    else if (now - this.#waitsSince > MAX_WAIT_MS) this.#help()
  }

  /** Answers what is open and continues what rests, in agents too. */
  #help(): void {
    this.#waitsSince = this.#scheduler.now
    for (const [sessionId, { state }] of this.#home.stored.all) {
      if (isAtRest(state)) continue
      const client = this.#clientOf(sessionId)
      if (!client.isIdle) continue
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
    return this.#session !== undefined && this.#home.stored.all.values().every(({ state }) => isAtRest(state))
  }
}

const same = (plan: SessionPlan) => plan

function isAtRest(state: SessionState): boolean {
  const { turn, waiting, compaction, asleep, children } = state
  const isIdle = turn === undefined && waiting.length === 0 && compaction === undefined
  return isIdle && !asleep && children.length === 0 && openApprovals(state).length === 0
}

function shownText(sessionId: string, item: WatchItem): string {
  const of = sessionId === SESSION_ID ? "" : ` of agent ${sessionId.slice(-4)}`
  if (item.kind === "event") return `is shown ${item.recorded.seq} ${item.recorded.event.type}${of}`
  return `gets ${JSON.stringify(item)}${of}`
}

const approvalFields: Readonly<Record<ApprovalKind, Partial<Approve>>> = {
  plain: {},
  changed: { input: { changed: true } },
  granted: { remember: { pattern: "*", scope: "session" } },
}

const newSession = {
  sessionId: SESSION_ID,
  origin: "simulation",
  org: "local",
  owner: "you",
  preset: "trusting",
  cwd: "/",
  model: "scripted",
  toolMode: "Smart",
  limits: { stepsPerTurn: 20, depth: 2, children: 2 },
  budget: {},
} as const
