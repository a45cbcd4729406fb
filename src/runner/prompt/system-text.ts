// The whole system text of a model call: the system prompt, additions of extensions, and the skill of the turn.
import { settingsOf } from "../../contract/rules/session-settings.ts"
import { ModelUnavailable } from "../../models/model-source.ts"
import { servicePrompt } from "../../features/chat-service/effects/service-prompt.ts"
import type { SessionContext } from "../session-context.ts"
import { systemPrompt } from "./system-prompt.ts"

/** Throws ModelUnavailable when the turn's skill is missing: without it the task would be another one. */
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
