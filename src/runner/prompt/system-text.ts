// The system text of a model call. It changes as little as possible, so that providers can cache it: the prompt itself,
// the environment, instruction files, additions of extensions, and at the end what belongs to one turn.
import { settingsOf } from "../../contract/rules/session-settings.ts"
import { ModelUnavailable } from "../../models/model-source.ts"
import { servicePrompt } from "../../features/chat-service/effects/service-prompt.ts"
import type { SessionContext } from "../session-context.ts"
import type { SessionState } from "../../session/state.ts"
import { stableEnvironment } from "./environment.ts"
import { generalPrompt } from "./general-prompt.ts"
import { instructionsOfTurn, instructionsText } from "./instructions.ts"
import { namedAgentsText } from "./named-agents.ts"
import { skillsText } from "./skills.ts"

/** The parts of a system text, in order. */
export interface SystemParts {
  readonly prompt: string
  readonly instructions: string | undefined
  /** The lists of skills and agents; then of extensions, plan mode and the turn's skill. */
  readonly additions: readonly string[]
}

/** Throws ModelUnavailable when the turn's skill is missing: without it the task would be another one. */
export async function systemText(
  session: SessionContext,
  tools: readonly string[],
  addition: string | undefined,
): Promise<string> {
  const { prompt, instructions, additions } = await systemParts(session, tools, addition)
  return [prompt, instructions, ...additions].filter((text) => text !== undefined).join("\n\n")
}

export async function systemParts(
  session: SessionContext,
  tools: readonly string[],
  addition: string | undefined,
): Promise<SystemParts> {
  const { state, services, status } = session
  const skill = await skillSection(session)
  if (settingsOf(state.created).hasVisitors) {
    const prompt = servicePrompt(state, status.turns, services.service)
    return { prompt, instructions: undefined, additions: present([addition, skill]) }
  }
  const own = state.created?.system ?? generalPrompt(tools)
  return {
    prompt: `${own}\n\n${await stableEnvironment(session)}`,
    instructions: instructionsText(await instructionsOfTurn(session)),
    additions: present([
      await skillsText(session, tools),
      await namedAgentsText(session, tools),
      serversText(session),
      addition,
      planSection(state),
      skill,
    ]),
  }
}

/** What the trusted MCP servers of the session say about their use. */
function serversText({ servers, services }: SessionContext): string | undefined {
  const texts = servers?.instructions ?? []
  return texts.length === 0 ? undefined : services.scrubber.text(["# MCP servers", ...texts].join("\n\n"))
}

function present(texts: readonly (string | undefined)[]): readonly string[] {
  return texts.filter((text) => text !== undefined)
}

async function skillSection({ state, services }: SessionContext): Promise<string | undefined> {
  const name = state.turn?.skill
  if (name === undefined) return undefined
  const text = await services.skills?.read(name)
  if (text === undefined) throw new ModelUnavailable(`There is no skill named ${name}.`)
  return `Go by this skill in your answer (${name}):\n\n${text}`
}

const planning =
  "You are in plan mode: look and think, but change nothing. End with a plan that can be carried out later: numbered steps, the files they touch, and how to see that they worked. The beginning of your last answer goes into the main conversation when plan mode is left."

function planSection({ turn, plan }: SessionState): string | undefined {
  if (turn?.planId === undefined) return undefined
  return plan?.focus === undefined ? planning : `${planning}\n\nThe plan is about: ${plan.focus}`
}
