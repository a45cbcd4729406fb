// Skills as typed commands: `/skill NAME text`, `/NAME text`, and `/skills`. The skill's text becomes part of the prompt, so
// that it works with every set of tools and stays in the conversation.
import type { CommandAnswer } from "../../contract/host-commands.ts"
import type { TypedCommand } from "../../contract/views/host.ts"
import type { SkillFiles, SkillListing } from "./skill-files.ts"

const usage = "[text]"
const MAX_LISTED = 200

export async function listSkillCommands(skills: SkillFiles): Promise<readonly TypedCommand[]> {
  const found = await skills.list()
  if (found.length === 0) return []
  const general: readonly TypedCommand[] = [
    { name: "skill", usage: `<name> ${usage}`, description: "follow a skill", source: "skills" },
    { name: "skills", description: "list the skills of this session", source: "skills" },
  ]
  return [
    ...general,
    ...found.map((skill) => ({ name: skill.name, description: described(skill), usage, source: skill.source })),
  ]
}

export async function runSkillCommand(
  skills: SkillFiles,
  name: string,
  args: readonly string[],
): Promise<CommandAnswer> {
  if (name === "skills") return { kind: "output", text: listText(await skills.list()) }
  if (name !== "skill") return (await follow(skills, name, args)) ?? { kind: "unknown" }
  const [wanted, ...rest] = args
  if (wanted === undefined) return { kind: "output", text: listText(await skills.list()) }
  return (
    (await follow(skills, wanted, rest)) ?? { kind: "failed", why: `there is no skill '${wanted}'; /skills lists them` }
  )
}

async function follow(skills: SkillFiles, name: string, args: readonly string[]): Promise<CommandAnswer | undefined> {
  if ((await skills.list()).every((skill) => skill.name !== name && skill.otherName !== name)) return undefined
  const opened = await skills.open(name)
  if (opened.kind === "no") return { kind: "failed", why: opened.reason }
  const { text, folder, files } = opened
  const others = files.length === 0 ? "" : `\nIts folder is ${folder}; other files there: ${files.join(", ")}.`
  const task = args.join(" ").trim()
  const parts = [`Follow the skill '${name}':${others}`, text, ...(task === "" ? [] : [`The task: ${task}`])]
  return { kind: "prompt", text: parts.join("\n\n") }
}

function listText(found: readonly SkillListing[]): string {
  if (found.length === 0)
    return "There are no skills. A skill is a folder with a SKILL.md in .turnhouse/skills or .claude/skills."
  const lines = found.slice(0, MAX_LISTED).map((skill) => `${skill.name} (${skill.source}): ${described(skill)}`)
  return [...lines, ...(found.length > MAX_LISTED ? [`and ${found.length - MAX_LISTED} more`] : [])].join("\n")
}

function described({ description, problem }: SkillListing): string {
  return problem === undefined ? description : `not usable: ${problem}`
}
