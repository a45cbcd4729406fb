// The skills of a session in its system text: names and descriptions. The model reads the rest when it needs it.
import type { SessionContext } from "../session-context.ts"

/** Characters of the whole list. Skills beyond it are named without their description. */
const MAX_CHARACTERS = 16_000

const introduction =
  "Skills are instructions for kinds of tasks. Before a task that one of these descriptions fits, read the skill with the tool `skill` and follow it."

/** Read once per turn, so that all its requests begin with the same bytes. Undefined where the session cannot use any. */
export async function skillsText(
  { turnMemory, state, services }: SessionContext,
  tools: readonly string[],
): Promise<string | undefined> {
  const { skills, scrubber } = services
  if (skills === undefined || !tools.includes("skill")) return undefined
  const found = await turnMemory.skills.get(state.turn?.id, () => skills.list())
  const offered = found.filter(({ isOffered }) => isOffered)
  return offered.length === 0 ? undefined : scrubber.text(["# Skills", introduction, lines(offered)].join("\n\n"))
}

function lines(skills: readonly { readonly name: string; readonly description: string }[]): string {
  let left = MAX_CHARACTERS
  const described = skills.map(({ name, description }) => {
    const line = `- ${name}: ${description}`
    left -= line.length
    return left > 0 ? line : `- ${name}`
  })
  return described.join("\n")
}
