// Random clients, a random runner and random crashes against the pure core. After every single append the promises
// are checked on the whole history.
import fc from "fast-check"
import { expect, it } from "vitest"
import type { SessionCommand } from "../contract/commands.ts"
import type { Workflow } from "../contract/config.ts"
import type { EventOf, EventType, Recorded, SessionEvent } from "../contract/events.ts"
import { limits } from "../contract/limits.ts"
import { decodeEvent, encodeEvent } from "../contract/stored-event.ts"
import type { ToolClass } from "../contract/values.ts"
import { decide } from "./decide.ts"
import { evolve } from "./evolve.ts"
import { created, stamp } from "./given.ts"
import type { AnswerPart, RunnerReport } from "./report.ts"
import { findCall, initialState, openApprovals, openChildApprovals, type SessionState } from "./state.ts"
import { wanted, type Effect } from "./wanted.ts"

const toolClass: Record<string, ToolClass> = { read: "read", pay: "keyed", bash: "unsafe", ask: "read" }

const steps = ["one", "two", "three"].map((id) => ({ id, intent: id, criteria: id }))
const workflow: Workflow = { goal: "g", steps }
const verdicts = ["yes", "no", "maybe", "failed"] as const

class World {
  readonly log: Recorded[] = []
  state: SessionState = initialState
  streamed: { block: number; kind: "text" | "reasoning"; text: string }[] = []
  readonly #workflow: Workflow | undefined
  #ids = 0

  constructor(preset: "careful" | "service") {
    this.#workflow = preset === "service" ? workflow : undefined
    this.append([{ ...created, preset }])
  }

  send(input: SessionCommand | RunnerReport): void {
    const decision = decide(
      this.state,
      input,
      stamp({
        at: this.log.length * 10,
        id: this.nextId(),
        streamed: this.streamed,
        isCode: (code) => code === "right",
        workflow: this.#workflow,
      }),
    )
    if (decision.events === undefined) return
    const step = this.state.turn?.step?.id
    this.append(decision.events)
    if (this.state.turn?.step?.id !== step || this.state.turn?.step?.answered) this.streamed = []
  }

  /** The host dies and another one opens the session: all that is left is what was stored, as it was stored. */
  crash(): void {
    this.state = this.replay()
    this.send({ type: "recover", evidence: {} })
    this.send({ type: "adopt", host: "h", idleSince: this.log.length * 10 })
  }

  replay(): SessionState {
    return this.log.map(encodeEvent).map(decoded).reduce(evolve, initialState)
  }

  append(events: readonly SessionEvent[]): void {
    for (const event of events) {
      const recorded = { seq: this.state.seq + 1, at: this.log.length, event }
      this.log.push(recorded)
      this.state = evolve(this.state, recorded)
    }
  }

  all<Type extends EventType>(type: Type): readonly EventOf<Type>[] {
    return this.log.map(({ event }) => event).filter((event): event is EventOf<Type> => event.type === type)
  }

  nextId(): string {
    this.#ids += 1
    return String(this.#ids)
  }
}

function decoded(stored: string): Recorded {
  const event = decodeEvent(stored)
  if (event.kind !== "event") throw new Error(`cannot be read back: ${stored}`)
  return event.recorded
}

function checkPromises(world: World): void {
  expect(world.replay()).toEqual(world.state)
  checkCalls(world)
  checkApprovals(world)
  checkInteractions(world)
  checkCodes(world)
  checkWorkflow(world)
  checkPrompts(world)
  checkChildren(world)
  expect(world.state.asleep ? wanted(world.state) : []).toEqual([])
}

function checkCalls(world: World): void {
  const results = [...world.all("tool.ended"), ...world.all("tool.refused"), ...world.all("tool.unsettled")]
  const open = new Set(world.state.turn?.step?.calls.filter((call) => call.phase !== "settled").map((call) => call.id))
  for (const { callId } of world.all("tool.called")) {
    const ofCall = results.filter((result) => result.callId === callId)
    expect(ofCall).toHaveLength(open.has(callId) ? 0 : 1)
    const intents = world.all("tool.started").filter((started) => started.callId === callId)
    if (intents.some((intent) => intent.class === "unsafe")) expect(intents).toHaveLength(1)
    expect(new Set(intents.map((intent) => intent.idempotencyKey)).size).toBeLessThanOrEqual(1)
  }
}

function checkApprovals(world: World): void {
  const open = new Set(openApprovals(world.state).map((approval) => approval.id))
  for (const { approvalId, callId } of world.all("approval.requested")) {
    const outcomes = world.all("approval.decided").filter((decided) => decided.approvalId === approvalId)
    expect(outcomes).toHaveLength(open.has(approvalId) ? 0 : 1)
    const started = world.all("tool.started").some((intent) => intent.callId === callId)
    if (started) expect(outcomes[0]?.outcome).toBe("approved")
  }
  if (world.state.turn === undefined) expect(open.size).toBe(0)
}

function checkInteractions(world: World): void {
  const open = new Set(world.state.interactions.map(({ id }) => id))
  for (const { interactionId, callId } of world.all("interaction.requested")) {
    const outcomes = world.all("interaction.answered").filter((answered) => answered.interactionId === interactionId)
    expect(outcomes).toHaveLength(open.has(interactionId) ? 0 : 1)
    expect(world.all("tool.started").filter((intent) => intent.callId === callId)).toEqual([])
  }
  if (world.state.turn === undefined) expect(open.size).toBe(0)
}

/** Each step is judged where the one before has led, at most three times, and the turn ends with the verdict. */
function checkWorkflow(world: World): void {
  let at: string | undefined = "one"
  for (const [index, { event }] of world.log.entries()) {
    if (event.type !== "workflow.judged") continue
    expect(event.step).toBe(at)
    expect(event.held).toBeLessThan(limits.heldTurns)
    expect(world.log[index + 1]?.event).toMatchObject({ type: "turn.ended", turnId: event.turnId, reason: "done" })
    at = event.next
  }
}

/** A code has three tries and is right once; a turn does not end before its code is on its way. */
function checkCodes(world: World): void {
  for (const { verificationId } of world.all("verification.requested")) {
    const failures = world.all("verification.failed").filter((failed) => failed.verificationId === verificationId)
    const tries = failures.filter(({ why }) => why === "wrong-code" || why === "too-many-attempts")
    expect(tries.map(({ attemptsLeft }) => attemptsLeft)).toEqual([2, 1, 0].slice(0, tries.length))
    const verified = world.all("visit.verified").filter((visit) => visit.verificationId === verificationId)
    expect(verified.length + failures.filter(({ why }) => why !== "wrong-code").length).toBeLessThanOrEqual(1)
  }
  const unsent = world.state.verifications.filter(({ phase }) => phase === "requested" || phase === "prepared")
  if (world.state.turn === undefined) expect(unsent).toEqual([])
}

function checkChildren(world: World): void {
  const live = new Set(world.state.children.map((child) => child.id))
  const fates = [...world.all("child.ended"), ...world.all("child.detached")]
  for (const { childId } of world.all("child.spawned")) {
    const ofChild = fates.filter((fate) => fate.childId === childId)
    expect(ofChild.length + (live.has(childId) ? 1 : 0)).toBeGreaterThanOrEqual(1)
    expect(ofChild.filter((fate) => fate.type === "child.ended").length).toBeLessThanOrEqual(1)
  }
  const open = new Set(openChildApprovals(world.state).map((approval) => approval.id))
  for (const { approvalId } of world.all("child.asked")) {
    const answers = world.all("child.answered").filter((answered) => answered.approvalId === approvalId)
    expect(answers).toHaveLength(open.has(approvalId) ? 0 : 1)
  }
  for (const { childId } of openChildApprovals(world.state)) expect(live).toContain(childId)
}

function checkPrompts(world: World): void {
  const waiting = new Set(world.state.waiting.map((prompt) => prompt.promptId))
  const inOrder = world
    .all("prompt.admitted")
    .filter((prompt) => prompt.delivery === "next-turn")
    .map((prompt) => prompt.promptId)
  const promoted = world.all("prompt.promoted").map((event) => event.promptId)
  for (const { promptId } of world.all("prompt.admitted")) {
    const fates = [
      waiting.has(promptId),
      ...promoted.filter((id) => id === promptId),
      ...world.all("prompt.withdrawn").filter((event) => event.promptId === promptId),
    ]
    expect(fates.filter(Boolean)).toHaveLength(1)
  }
  const delivered = promoted.filter((id) => inOrder.includes(id))
  expect(delivered).toEqual(inOrder.filter((id) => delivered.includes(id)))
}

/** One thing that may happen; `pick` chooses among what the state offers. */
type Move = (world: World, pick: number) => void

const moves: Record<string, Move> = {
  prompt: (world, pick) => {
    const ifBusy = choose(["refuse", "wait", "steer"] as const, pick) ?? "wait"
    world.send({
      type: "prompt",
      promptId: `prm_${pick % 7}${world.log.length % 5}`,
      text: `text ${pick % 3}`,
      ifBusy,
      visitId: world.state.visit?.visitId,
    })
  },
  work: (world, pick) => {
    const effect = choose(wanted(world.state), pick)
    if (effect !== undefined) perform(world, effect, pick)
  },
  stream: (world, pick) => {
    if (world.state.turn?.step?.answered === false) world.streamed = [{ block: 0, kind: "text", text: `half ${pick}` }]
  },
  approve: (world, pick) => {
    const approval = choose(world.state.approvals, pick)
    if (approval !== undefined) world.send({ type: "approve", approvalId: approval.id, approved: pick % 3 !== 0 })
  },
  reply: (world, pick) => {
    const open = choose(world.state.interactions, pick)
    if (open === undefined) return
    const values = pick % 4 === 0 ? {} : { email: "a@b.example" }
    world.send({ type: "answer", interactionId: open.id, values, declined: pick % 5 === 0 })
  },
  verify: (world, pick) => {
    const visitId = choose(world.state.verifications, pick)?.visitId
    if (visitId !== undefined) world.send({ type: "verify", visitId, code: pick % 3 === 0 ? "right" : "wrong" })
  },
  visit: (world, pick) =>
    world.send({
      type: "open-visit",
      visitId: `6f1c0f4e-0000-4000-8000-0000000000${10 + (pick % 80)}`,
      agentId: "shop",
      contact: {},
      supports: pick % 2 === 0 ? undefined : ["identity_form"],
      participants: { user: "6f1c0f4e-0000-4000-8000-00000000000a", agent: "6f1c0f4e-0000-4000-8000-00000000000b" },
    }),
  withdraw: (world, pick) => {
    const waiting = choose(world.state.waiting, pick)
    if (waiting !== undefined) world.send({ type: "withdraw", promptId: waiting.promptId })
  },
  steerPlan: (world, pick) => world.send(pick % 2 === 0 ? { type: "enter-plan" } : { type: "exit-plan" }),
  select: (world, pick) => world.send({ type: "select-model", model: `m${pick}` }),
  compact: (world) => world.send({ type: "compact" }),
  spawn: (world, pick) =>
    world.send({ type: "spawn", childId: `01890000-0000-7000-8000-00000000000${pick % 10}`, task: "t" }),
  signal: (world, pick) => {
    const action = choose(["shutdown-if-idle", "force-shutdown", "detach"] as const, pick) ?? "detach"
    world.send({ type: "signal-children", action })
  },
  ask: (world, pick) => {
    const child = choose(world.state.children, pick)
    if (child !== undefined) world.send(childAsks(child.id, pick))
  },
  answer: (world, pick) => {
    const open = choose(openChildApprovals(world.state), pick)
    if (open === undefined) return
    world.send({ type: "child-answered", childId: open.childId, approvalId: open.id, outcome: "approved" })
  },
  rest: (world) => world.send({ type: "hibernate" }),
  wake: (world) => world.send({ type: "wake" }),
  orphan: (world) => world.send({ type: "orphan" }),
  alias: (world, pick) => world.send({ type: "alias", alias: `a${pick}` }),
  raise: (world) => world.send({ type: "raise-budget", budget: { usd: 1 } }),
  resume: (world) => world.send({ type: "resume" }),
  interrupt: (world) => world.send({ type: "interrupt" }),
  end: (world, pick) => world.send({ type: "end", when: pick % 2 === 0 ? "now" : "idle" }),
  crash: (world) => world.crash(),
}

function perform(world: World, effect: Effect, pick: number): void {
  switch (effect.type) {
    case "call-model":
      return world.send(modelReport(world, effect.stepId, pick))
    case "run-call":
      return world.send(callReport(world, effect.callId, pick))
    case "compact":
      return world.send(compactReport(effect.compactionId, pick))
    case "expire-approval":
      return world.send({ type: "approval-expired", approvalId: effect.approvalId })
    case "expire-interaction":
      return world.send({ type: "interaction-expired", interactionId: effect.interactionId })
    case "judge":
      return world.send({ type: "workflow-judged", turnId: effect.turnId, verdict: choose(verdicts, pick) ?? "no" })
    case "offer-code":
      return world.send({ type: "code-offered", turnId: effect.turnId, channels: pick % 4 === 0 ? [] : ["email"] })
    case "send-code":
      return world.send(codeReport(world, effect.verificationId, pick))
    case "expire-verification":
      return world.send({ type: "verification-expired", verificationId: effect.verificationId })
    case "end-park":
      return world.send({ type: "park-elapsed", turnId: effect.turnId })
    case "detach-child":
      return world.send({ type: "child-detached", childId: effect.childId })
    case "keep-child":
    case "end-child": {
      const { childId } = effect
      return world.send({ type: "child-ended", childId, outcome: "done", result: "", costUsd: 0, tokens: 0 })
    }
  }
}

function childAsks(childId: string, pick: number): RunnerReport {
  return {
    type: "child-asked",
    childId,
    sessionId: childId,
    approvalId: `apr_of_child_${pick % 5}`,
    tool: "bash",
    input: {},
    digest: "d",
    reason: "r",
    audience: "driver",
  }
}

function modelReport(world: World, stepId: `stp_${string}`, pick: number): RunnerReport {
  if (pick % 11 === 0) return { type: "model-failed", stepId, error: "it broke" }
  if (pick % 11 === 1) return { type: "turn-blocked", stepId, why: "budget", message: "spent" }
  if (pick % 11 === 2) return { type: "turn-blocked", stepId, why: "quota", message: "later", until: 1 }
  if (pick % 11 === 3) return { type: "context-full", stepId }
  const calls = Array.from({ length: pick % 4 }, (_, index): AnswerPart => ({
    kind: "call",
    callId: `cal_${world.nextId()}`,
    tool: choose(Object.keys(toolClass), pick + index * 2) ?? "bash",
    input: { n: index },
    problem: (pick + index) % 9 === 0 ? "not usable" : undefined,
  }))
  const parts: readonly AnswerPart[] = [{ kind: "text", block: 0, text: "said" }, ...calls]
  return { type: "model-answered", stepId, parts, model: "m", finish: "stop", usage: undefined, costUsd: 0.1 }
}

function callReport(world: World, callId: `cal_${string}`, pick: number): RunnerReport {
  const call = findCall(world.state, callId)
  if (call?.phase === "started" && pick % 4 !== 0)
    return { type: "call-settled", callId, outcome: "done", output: "out" }
  if (call?.tool === "ask" && (call.phase === "called" || call.phase === "approved")) return interacts(callId, pick)
  if (call?.phase === "called" && pick % 5 === 0) {
    return {
      type: "judged",
      callId,
      verdict: { kind: "ask", reason: "r", audience: "driver", digest: `d${callId}`, waitMs: pick % 2 ? 0 : undefined },
    }
  }
  if (call?.phase === "called" && pick % 5 === 1)
    return { type: "judged", callId, verdict: { kind: "refuse", by: "p", reason: "no", level: "end_user" } }
  if (call?.phase === "called" && pick % 5 === 3 && pick % 2 === 0)
    return {
      type: "judged",
      callId,
      verdict: { kind: "verify", channels: ["email"], waitMs: pick % 4 ? 50 : undefined },
    }
  if (call?.phase === "called" && pick % 5 === 2)
    return { type: "judged", callId, verdict: { kind: "modify", by: "h", input: { n: pick } } }
  const toolOf = toolClass[call?.tool ?? "bash"] ?? "unsafe"
  return {
    type: "call-ready",
    callId,
    class: toolOf,
    digest: pick % 13 === 0 ? "changed" : `d${callId}`,
    waitMs: undefined,
  }
}

function codeReport(world: World, verificationId: `ver_${string}`, pick: number): RunnerReport {
  if (pick % 7 === 0) return { type: "code-failed", verificationId, why: "undelivered" }
  if (world.state.verifications.find(({ id }) => id === verificationId)?.phase === "prepared")
    return { type: "code-sent", verificationId }
  const [channel, destination, digest] = ["email", "a…@b.example", "d"] as const
  const expiresAt = world.log.length * 10 + pick
  const made = { contact: { email: "a@b.example" }, channel, destination, digest, attemptsLeft: 3, expiresAt }
  return { type: "code-prepared", verificationId, ...made }
}

function interacts(callId: `cal_${string}`, pick: number): RunnerReport {
  const interactionId = `6f1c0f4e-0000-5000-8000-${callId.slice("cal_".length).padStart(12, "0")}`
  const spec = { fields: [{ key: "email", required: true }] }
  const waitMs = choose([undefined, 0, 30], pick)
  return { type: "call-interacts", callId, interactionId, kind: "identity_intake", spec, reason: "r", waitMs }
}

function compactReport(compactionId: `cmp_${string}`, pick: number): RunnerReport {
  if (pick % 3 === 0) return { type: "compaction-failed", compactionId, error: "no" }
  return { type: "compacted", compactionId, summary: "s", upToSeq: 1, usage: undefined, costUsd: undefined }
}

function choose<Item>(items: readonly Item[], pick: number): Item | undefined {
  return items[pick % Math.max(items.length, 1)]
}

/** Work and prompts are likelier than the rest, so that turns get somewhere. */
const move = fc.tuple(
  fc.oneof(
    { weight: 12, arbitrary: fc.constant("work") },
    { weight: 3, arbitrary: fc.constant("prompt") },
    { weight: 2, arbitrary: fc.constantFrom("approve", "reply", "verify", "stream", "crash", "wake") },
    { weight: 1, arbitrary: fc.constantFrom(...Object.keys(moves)) },
  ),
  fc.nat(1000),
)

it("keeps its promises under random commands, results and crashes", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("careful", "service"),
      fc.array(move, { maxLength: 120, size: "max" }),
      (preset, script) => {
        const world = new World(preset)
        for (const [name, pick] of script) {
          const before = world.log.length
          moves[name]?.(world, pick)
          if (world.log.length > before) checkPromises(world)
        }
      },
    ),
    { numRuns: 200 },
  )
})

it("comes to rest when everything it wants is done", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { minLength: 50, maxLength: 50 }), (picks) => {
      const world = new World("careful")
      for (const n of [1, 2, 3]) world.send({ type: "prompt", promptId: `prm_${n}`, text: "t", ifBusy: "wait" })
      for (let round = 0; round < 400 && world.state.turn !== undefined; round++) {
        moves["work"]?.(world, picks[round % picks.length] ?? 0)
        for (const { id } of openApprovals(world.state)) world.send({ type: "approve", approvalId: id, approved: true })
        for (const { id } of world.state.interactions)
          world.send({ type: "answer", interactionId: id, values: { email: "a@b.example" } })
        moves["raise"]?.(world, 0)
      }
      expect(wanted(world.state)).toEqual([])
      expect(world.all("turn.ended")).toHaveLength(3)
    }),
    { numRuns: 50 },
  )
})
