// Builds the prompt of a plugin command: the skill it names, if any, and its text with the typed arguments.
import { realpathSync, statSync } from "node:fs"
import { join, sep } from "node:path"
import type { CommandAnswer } from "../../contract/typed-commands.ts"
import { readPlainFile } from "../discovery/plain-file.ts"
import { failed, type PluginCommand } from "./plugin-command.ts"

const maxSkillBytes = 256 * 1024
const place = "${args}"

type Prompt = Extract<PluginCommand["does"], { kind: "prompt" }>

export function promptOf(folder: string, { prompt, skill }: Prompt, words: readonly string[]): CommandAnswer {
  const typed = words.join(" ")
  const wish = prompt.includes(place) ? prompt.replaceAll(place, () => typed) : [prompt, typed].join("\n")
  const taught = skill === undefined ? undefined : skillText(folder, skill)
  const text = [taught ?? "", wish.trim()].filter((part) => part !== "").join("\n\n")
  return text === "" ? failed("its prompt is empty") : { kind: "prompt", text }
}

/** Undefined when the plugin has no such skill: the prompt works without. */
function skillText(folder: string, skill: string): string | undefined {
  if (!/^[\w.-]+$/.test(skill)) return undefined
  try {
    const file = realpathSync(join(folder, "skills", skill, "SKILL.md"))
    if (!file.startsWith(realpathSync(folder) + sep) || statSync(file).size > maxSkillBytes) return undefined
    return readPlainFile(file)
      .replace(/^---\n[^]*?\n---\n/, "")
      .trim()
  } catch {
    return undefined
  }
}
