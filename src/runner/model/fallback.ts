// Continues a turn on the next fallback model when the provider of the current one fails. The next turn starts with the
// session's model again.
import type { StepId } from "../../contract/ids.ts"
import { ProviderFailing, QuotaExhausted } from "../../models/faults.ts"
import type { SessionContext } from "../session-context.ts"

/** Another provider may answer; a refused key or request would not be accepted by waiting either. */
export function isProviderFailure(fault: unknown): fault is ProviderFailing | QuotaExhausted {
  return fault instanceof ProviderFailing || fault instanceof QuotaExhausted
}

/** False if no model is left. */
export async function fallBack(session: SessionContext, stepId: StepId, fault: Error): Promise<boolean> {
  const { services, state } = session
  const model = nextModel(services.fallback ?? [], state.model, state.turn?.model)
  if (model === undefined) return false
  await session.report({ type: "model-overloaded", stepId, model, reason: services.scrubber.text(fault.message) })
  return true
}

/** Each model of the list once in a turn, in its order; the one that the turn began with is not tried again. */
export function nextModel(fallback: readonly string[], first: string, current: string | undefined): string | undefined {
  const others = fallback.filter((model, at) => model !== first && fallback.indexOf(model) === at)
  return others[current === undefined ? 0 : others.indexOf(current) + 1]
}
