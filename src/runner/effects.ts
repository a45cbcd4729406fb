// Keeps the effects that a state requires running, each once, and stops those it no longer requires. Stopping is a
// signal: ending a process may take longer than the turn. When an effect ends, the required effects are computed again.
import { setImmediate } from "node:timers/promises"
import type { Effect, EffectOf } from "../session/report.ts"
import { performers, type EffectType } from "./performers.ts"
import { requiredEffects } from "../session/required-effects.ts"
import type { SessionContext } from "./session-context.ts"

interface Running {
  readonly effect: Effect
  readonly stopper: AbortController
  readonly done: Promise<void>
}

/** Created once: a new one each time would capture a stack that is never read. */
const noLongerRequired = new DOMException("This operation was aborted", "AbortError")

export class Effects {
  readonly #session: SessionContext
  readonly #running = new Map<string, Running>()
  /** False before recovery is over and after the end: nothing is started then. */
  #active = false

  constructor(session: SessionContext) {
    this.#session = session
  }

  begin(): void {
    this.#active = true
  }

  ensure(effects: readonly Effect[]): void {
    const ids = new Set(effects.map((effect) => effect.id))
    for (const [id, { stopper }] of this.#running) if (!ids.has(id)) stopper.abort(noLongerRequired)
    if (!this.#active) return
    for (const effect of effects) if (!this.#running.has(effect.id)) this.#start(effect)
  }

  /** Starts nothing new. Stops what can be repeated, except tool processes if they are spared; the rest continues. */
  async pause(sparesProcesses: boolean): Promise<void> {
    this.#active = false
    for (const { effect, stopper } of this.#running.values()) {
      const canContinue = sparesProcesses && hasProcess(this.#session, effect.type, effect)
      if (!canContinue && !mustFinish(this.#session, effect.type, effect)) stopper.abort()
    }
    await this.settled()
  }

  /** Stops everything but tool processes; resolves when these have ended. */
  async finishProcesses(): Promise<void> {
    for (const { effect, stopper } of this.#running.values())
      if (!hasProcess(this.#session, effect.type, effect)) stopper.abort()
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
   * Starts after the events that require it are published, so that the sender of a prompt does not wait for a request to
   * a model. An effect that throws is a defect; it is not retried, since that would repeat it.
   */
  async #perform(effect: Effect, signal: AbortSignal): Promise<void> {
    try {
      await setImmediate()
      if (!signal.aborted) await perform(this.#session, effect.type, effect, signal)
    } catch (fault) {
      this.#session.services.warn(`${effect.id} failed: ${String(fault)}`, this.#session.id)
      return
    }
    this.#running.delete(effect.id)
    this.ensure(requiredEffects(this.#session.state))
  }
}

function mustFinish<Type extends EffectType>({ state }: SessionContext, type: Type, effect: EffectOf<Type>): boolean {
  return performers[type].mustFinish?.(state, effect) === true
}

function hasProcess<Type extends EffectType>({ state }: SessionContext, type: Type, effect: EffectOf<Type>): boolean {
  return performers[type].hasProcess?.(state, effect) === true
}

function perform<Type extends EffectType>(
  session: SessionContext,
  type: Type,
  effect: EffectOf<Type>,
  signal: AbortSignal,
): Promise<void> {
  return performers[type].perform(session, effect, signal)
}
