// The model of a session: configured, or provided by one of its extensions. Waiting for an extension to start ends when
// the turn is interrupted.
import { readExtensionModel } from "../../contract/rules/extension-model.ts"
import { Lifeline } from "../../models/lifeline.ts"
import type { ModelChoice } from "../../models/model-source.ts"
import type { SessionContext } from "../session-context.ts"

/** Throws ModelUnavailable with a sentence for people, or the reason of the signal. */
export async function sessionModel(session: SessionContext, signal: AbortSignal): Promise<ModelChoice> {
  const { state, services, hooks } = session
  const name = state.turn?.model ?? state.model
  const extensionModel = readExtensionModel(name)
  if (extensionModel === undefined || hooks === undefined) return services.models.resolve(name)
  const lifeline = new Lifeline(signal)
  try {
    return await lifeline.hold(hooks.model(extensionModel))
  } finally {
    lifeline.release()
  }
}
