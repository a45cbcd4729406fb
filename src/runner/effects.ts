// Keeps the effects that a state wants under way, each once, and stops those it no longer wants. Stopping is a signal:
// what it takes to really end a process goes on after the turn is over. When an effect ends, the state is asked again,
// so that nothing requiredEffects in the meantime is forgotten.
import { setImmediate } from "node:timers/promises"
import type { Effect } from "../session/effect.ts"
import { requiredEffects } from "../session/required-effects.ts"
import { findCall } from "../session/state.ts"
import { compact } from "./compaction/compact.ts"
import { callModel } from "./model/model-step.ts"
import type { SessionActor } from "./session-actor.ts"
import { runCall } from "./tools/run-call.ts"
import { offerCode, sendCode } from "../features/chat-service/verification/effects/send-code.ts"
import { until } from "./waiting.ts"
import { judge } from "../features/chat-service/workflow/effects.ts"

interface Running {
  readonly effect: Effect
  readonly stopper: AbortController
  readonly done: Promise<void>
}

/** Made once: each new one would be made with its stack, which nobody looks at. */
const notWanted = new DOMException("This operation was aborted", "AbortError")

export class Effects {
  readonly #session: SessionActor
  readonly #running = new Map<string, Running>()
  /** Nothing happens before recovery is over, and nothing after the end. */
  #active = false

  constructor(session: SessionActor) {
    this.#session = session
  }

  begin(): void {
    this.#active = true
  }

  ensure(effects: readonly Effect[]): void {
    const ids = new Set(effects.map((effect) => effect.id))
    for (const [id, { stopper }] of this.#running) if (!ids.has(id)) stopper.abort(notWanted)
    if (!this.#active) return
    for (const effect of effects) if (!this.#running.has(effect.id)) this.#start(effect)
  }

  /** Starts nothing new. What can be repeated is cut off, except tool processes if they are spared; the rest goes on. */
  async pause(sparesProcesses: boolean): Promise<void> {
    this.#active = false
    for (const { effect, stopper } of this.#running.values()) {
      const isSpared = sparesProcesses && hasProcess(this.#session, effect)
      if (!isSpared && !isPrecious(this.#session, effect)) stopper.abort()
    }
    await this.settled()
  }

  /** Cuts off everything but tool processes; resolves when these have ended. */
  async finishProcesses(): Promise<void> {
    for (const { effect, stopper } of this.#running.values()) if (!hasProcess(this.#session, effect)) stopper.abort()
    await this.settled()
  }

  stop(): void {
    this.#active = false
    for (const { stopper } of this.#running.values()) stopper.abort()
  }

  async settled(): Promise<void> {
    await Promise.all([...this.#running.values()].map((running) => running.done))
  }

  #start(effect: Effect): void {
    const stopper = new AbortController()
    const done = this.#perform(effect, stopper.signal)
    this.#running.set(effect.id, { effect, stopper, done })
  }

  /**
   * Begins when everybody has been told of what it follows from: whoever sent a prompt does not wait until a request to
   * a model is made. An effect that throws is a fault of this program. It is not tried again: that would only repeat
   * the fault.
   */
  async #perform(effect: Effect, signal: AbortSignal): Promise<void> {
    try {
      await setImmediate()
      if (!signal.aborted) await perform(this.#session, effect, signal)
    } catch (fault) {
      this.#session.services.warn(`${effect.id} failed: ${String(fault)}`, this.#session.id)
      return
    }
    this.#running.delete(effect.id)
    this.ensure(requiredEffects(this.#session.state))
  }
}

/** A model's answer costs money, and an unsafe call that is cut off has an unknown outcome; all else can be repeated. */
function isPrecious(session: SessionActor, effect: Effect): boolean {
  if (effect.type === "call-model" || effect.type === "judge" || effect.type === "compact") return true
  if (effect.type === "send-code") return true // the mail may be half written
  return effect.type === "run-call" && findCall(session.state, effect.callId)?.started?.class === "unsafe"
}

function hasProcess(session: SessionActor, effect: Effect): boolean {
  return effect.type === "run-call" && findCall(session.state, effect.callId)?.started?.process !== undefined
}

async function perform(session: SessionActor, effect: Effect, signal: AbortSignal): Promise<void> {
  const { now, children } = session.services
  switch (effect.type) {
    case "call-model":
      return callModel(session, effect.stepId, signal)
    case "judge":
      return judge(session, effect.turnId, signal)
    case "run-call":
      return runCall(session, effect.callId, signal)
    case "compact":
      return compact(session, effect.compactionId, signal)
    case "expire-approval":
      await until(effect.at, now, signal)
      if (!signal.aborted) await session.report({ type: "approval-expired", approvalId: effect.approvalId })
      return
    case "expire-interaction":
      await until(effect.at, now, signal)
      if (!signal.aborted) await session.report({ type: "interaction-expired", interactionId: effect.interactionId })
      return
    case "offer-code":
      return offerCode(session, effect.turnId)
    case "send-code":
      return sendCode(session, effect.verificationId, signal)
    case "expire-verification":
      await until(effect.at, now, signal)
      if (!signal.aborted) await session.report({ type: "verification-expired", verificationId: effect.verificationId })
      return
    case "end-park":
      await until(effect.at, now, signal)
      if (!signal.aborted) await session.report({ type: "park-elapsed", turnId: effect.turnId })
      return
    case "await-budget":
      await session.services.ledger.released(session.id, signal)
      if (!signal.aborted) await session.report({ type: "park-elapsed", turnId: effect.turnId })
      return
    case "keep-child":
      return children.keep(session, effect.childId, signal)
    case "end-child":
      return children.end(session, effect.childId, effect.when, signal)
    case "detach-child":
      return children.detach(session, effect.childId, signal)
  }
}
