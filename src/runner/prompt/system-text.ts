// Everything that a model call begins with, in order: the prompt of the session, what extensions add, and last the skill
// that the turn goes by.
import { settingsOf } from "../../contract/session-settings.ts"
import { ModelUnavailable } from "../../models/model-source.ts"
import { servicePrompt } from "../../features/chat-service/effects/service-prompt.ts"
import type { SessionContext } from "../session-context.ts"
import { systemPrompt } from "./system-prompt.ts"

/** Throws ModelUnavailable when the turn's skill is not there: to go on without it would be another task. */
export async function systemText(session: SessionContext, addition: string | undefined): Promise<string> {
  const { state, services, status } = session
  const prompt = settingsOf(state.created).hasVisitors
    ? servicePrompt(state, status.turns, services.service)
    : systemPrompt(state)
  const parts = [prompt, addition, await skillSection(session)]
  return parts.filter((text) => text !== undefined).join("\n\n")
}

async function skillSection({ state, services }: SessionContext): Promise<string | undefined> {
  const name = state.turn?.skill
  if (name === undefined) return undefined
  const text = await services.skills?.read(name)
  if (text === undefined) throw new ModelUnavailable(`There is no skill named ${name}.`)
  return `Go by this skill in your answer (${name}):\n\n${text}`
}
