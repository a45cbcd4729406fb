// The environment of a session for its model. What stays the same is part of the system text. Date and git state go with
// the prompt that begins a turn, behind the last cache point; they are stored with the answer, so that later requests
// repeat them unchanged and the provider finds what it has cached.
import { turnPrompt } from "../../projection/context.ts"
import type { SessionContext } from "../session-context.ts"

/** What a prompt is sent with, in the request in which it is new. */
export interface FreshEnvironment {
  /** The event by which the prompt entered the context. */
  readonly seq: number
  readonly text: string
}

export async function stableEnvironment({ services, state, turnMemory }: SessionContext): Promise<string> {
  const { environment, scrubber } = services
  const facts = await turnMemory.stableFacts.get(
    state.turn?.id,
    async () => (await environment?.stable()) ?? `Working folder: ${state.created?.cwd ?? "unknown"}`,
  )
  return `# Environment\n${scrubber.text(facts)}`
}

/** Undefined where the turn's prompt has one already, or has been summarised. */
export async function freshEnvironment(session: SessionContext): Promise<FreshEnvironment | undefined> {
  const { services, state, turnMemory } = session
  const { environment, scrubber, now } = services
  const prompt = turnPrompt(session.context)
  if (environment === undefined || prompt === undefined || prompt.environment !== undefined) return undefined
  const facts = await turnMemory.changingFacts.get(state.turn?.id, () => environment.changing(now()))
  return { seq: prompt.seq, text: scrubber.text(facts) }
}
