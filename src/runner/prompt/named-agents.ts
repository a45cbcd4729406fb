// The named agents of a session in its system text, for a model that can start agents.
import type { SessionContext } from "../session-context.ts"

/** Characters of the whole list. */
const MAX_CHARACTERS = 8_000

const introduction =
  "These agents have instructions of their own. Give one of them a task that its description fits: start it with its name as `agent`."

/** Read once per turn, so that all its requests begin with the same bytes. */
export async function namedAgentsText(session: SessionContext, tools: readonly string[]): Promise<string | undefined> {
  const { turnMemory, state, services } = session
  const { agents, scrubber } = services
  if (agents === undefined || !tools.includes("subagent")) return undefined
  const found = await turnMemory.agents.get(state.turn?.id, async () => {
    for (const problem of await agents.problems()) session.warn(`Agent not used: ${problem}`)
    return agents.list()
  })
  if (found.length === 0) return undefined
  const lines = found.map(({ name, description }) => (description === "" ? `- ${name}` : `- ${name}: ${description}`))
  return scrubber.text(
    ["# Agents", introduction, lines.join("\n").slice(0, MAX_CHARACTERS).toWellFormed()].join("\n\n"),
  )
}
