// One SKILL.md: instructions for a kind of task.
import { lenientFrontMatter, withoutFrontMatter } from "../typed-commands/front-matter.ts"

export interface SkillText {
  readonly description: string
  /** False where only people may start it. */
  readonly isOffered: boolean
  readonly body: string
}

/** What the format allows; longer ones are cut. */
const MAX_DESCRIPTION = 1024

export async function parseSkill(text: string): Promise<SkillText> {
  const body = withoutFrontMatter(text)
  const front = await lenientFrontMatter(text, ["description", "when_to_use", "disable-model-invocation"])
  const described = [front.get("description"), front.get("when_to_use")].filter((part) => part !== undefined)
  return {
    description: oneLine(described.length > 0 ? described.join(" ") : firstLine(body)),
    isOffered: front.get("disable-model-invocation")?.toLowerCase() !== "true",
    body,
  }
}

function firstLine(body: string): string {
  const line = body.split("\n").find((one) => one.trim() !== "") ?? ""
  return line.replace(/^#+\s*/, "")
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, MAX_DESCRIPTION).toWellFormed()
}
