// One SKILL.md: instructions for a kind of task. Its front matter is written for several programs, so what cannot be
// parsed costs the description, never the skill.
import {
  FrontMatterError,
  rawFrontMatter,
  readFrontMatter,
  withoutFrontMatter,
} from "../typed-commands/front-matter.ts"

export interface SkillText {
  readonly description: string
  /** False where only people may start it. */
  readonly isOffered: boolean
  readonly body: string
}

/** What the format allows; longer ones are cut. */
const MAX_DESCRIPTION = 1024

const texts = ["description", "when_to_use", "disable-model-invocation"]

export async function parseSkill(text: string): Promise<SkillText> {
  const body = withoutFrontMatter(text)
  try {
    const { texts: found } = await readFrontMatter(text, { texts, lists: [] })
    const described = [found.get("description"), found.get("when_to_use")].filter((part) => part !== undefined)
    return {
      description: described.length > 0 ? oneLine(described.join(" ")) : firstLine(body),
      isOffered: found.get("disable-model-invocation")?.toLowerCase() !== "true",
      body,
    }
  } catch (error) {
    if (!(error instanceof FrontMatterError)) throw error
    // A colon in an unquoted description is no valid YAML, and common.
    const described = rawFrontMatter(text).get("description")
    return { description: described === undefined ? firstLine(body) : oneLine(described), isOffered: true, body }
  }
}

function firstLine(body: string): string {
  const line = body.split("\n").find((one) => one.trim() !== "") ?? ""
  return oneLine(line.replace(/^#+\s*/, ""))
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, MAX_DESCRIPTION).toWellFormed()
}
