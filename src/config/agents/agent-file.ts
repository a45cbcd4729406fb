// A named agent in a Markdown file: front matter with what it is for and what it may use, and its instructions as body.
// The format is that of Claude Code; keys that only other programs know are ignored.
import type { Preset, ThinkingLevel } from "../../contract/values.ts"
import { canonicalToolName } from "../../contract/rules/core-tools.ts"
import { thinkingLevels } from "../../contract/rules/thinking.ts"
import { lenientFrontMatter, withoutFrontMatter } from "../typed-commands/front-matter.ts"

export interface NamedAgent {
  readonly name: string
  /** When to use it. */
  readonly description: string
  readonly instructions: string
  /** Default: the model of the session. */
  readonly model?: string
  readonly thinking?: ThinkingLevel
  /** By our names. Default: all tools of the session. */
  readonly tools?: readonly string[]
  readonly preset?: Exclude<Preset, "service">
  /** Document sets in which it searches. Default: those of the session. */
  readonly documents?: readonly string[]
}

export type ReadAgent =
  | { readonly kind: "agent"; readonly agent: NamedAgent }
  | { readonly kind: "unfit"; readonly name: string; readonly why: string }

const NAME_PATTERN = /^[A-Za-z0-9][\w.-]{0,63}$/
const MAX_NAMES = 200
/** Names of the other program for its own models. */
const otherModels = new Set(["inherit", "sonnet", "opus", "haiku", "default"])

const keys = ["name", "description", "model", "thinking", "tools", "preset", "documents"] as const

export async function readAgentFile(stem: string, text: string): Promise<ReadAgent> {
  const front = await lenientFrontMatter(text, keys)
  const name = front.get("name") ?? stem
  const unfit = (why: string): ReadAgent => ({ kind: "unfit", name: stem, why })
  if (!NAME_PATTERN.test(name))
    return unfit(`invalid name '${name.slice(0, 64)}'. Use letters, digits, '_', '.' and '-'.`)
  const instructions = withoutFrontMatter(text)
  if (instructions === "") return unfit("no text after the front matter")
  const thinking = thinkingLevels.find((level) => level === front.get("thinking"))
  if (front.has("thinking") && thinking === undefined)
    return unfit(`'thinking' is not one of ${thinkingLevels.join(", ")}`)
  const preset = front.get("preset")
  if (preset !== undefined && preset !== "careful" && preset !== "trusting")
    return unfit("'preset' is neither careful nor trusting")
  const model = front.get("model")
  const tools = toolsIn(front.get("tools"))
  const documents = front.has("documents") ? namesIn(front.get("documents") ?? "") : undefined
  return {
    kind: "agent",
    agent: {
      name,
      description: (front.get("description") ?? "").replaceAll(/\s+/g, " ").trim().slice(0, 1024).toWellFormed(),
      instructions,
      ...(model === undefined || otherModels.has(model) ? {} : { model }),
      ...(thinking === undefined ? {} : { thinking }),
      ...(tools === undefined ? {} : { tools }),
      ...(preset === undefined ? {} : { preset }),
      ...(documents === undefined ? {} : { documents }),
    },
  }
}

/** A list, or names separated by commas. `*` means all. */
function toolsIn(value: string | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined
  const tools = [...new Set(namesIn(value).map(canonicalToolName))].slice(0, MAX_NAMES)
  return tools.length === 0 || tools.includes("*") ? undefined : tools
}

function namesIn(value: string): readonly string[] {
  const names = value
    .replaceAll(/[[\]"']/g, " ")
    .split(",")
    .map((name) => name.trim())
  return [...new Set(names.filter((name) => name !== ""))].slice(0, MAX_NAMES)
}
