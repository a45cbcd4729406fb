// How the runner performs an effect. A feature exports the performers of its effects; performers.ts lists them all.
import type { Effect, EffectOf } from "../session/effect.ts"
import type { RunnerReport } from "../session/report.ts"
import type { SessionState } from "../session/state.ts"
import type { SessionContext } from "./session-context.ts"
import { until } from "./waiting.ts"

export type EffectType = Effect["type"]

export interface Performer<Type extends EffectType> {
  readonly perform: (session: SessionContext, effect: EffectOf<Type>, signal: AbortSignal) => Promise<void>
  /** Whether it must not be cut off when the host leaves: repeating it costs money, or is not safe. Default: no. */
  readonly isPrecious?: (state: SessionState, effect: EffectOf<Type>) => boolean
  /** Whether a process runs for it now. Default: no. */
  readonly hasProcess?: (state: SessionState, effect: EffectOf<Type>) => boolean
}

export type Performers<Type extends EffectType = EffectType> = { readonly [One in Type]: Performer<One> }

/** Reports once the time of the effect has come. */
export function reportAt<Type extends Extract<Effect, { readonly at: number }>["type"]>(
  report: (effect: EffectOf<Type>) => RunnerReport,
): Performer<Type> {
  return {
    async perform(session, effect, signal) {
      await until(effect.at, session.services.now, signal)
      if (!signal.aborted) await session.report(report(effect))
    },
  }
}
