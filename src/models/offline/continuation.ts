// Continues an answer that was cut off: drops the text that the prompt already has, and the cut or error after it. An
// answer that begins differently is repeated from its start.
import type { Part } from "./part.ts"
import type { CutOff } from "./prompt.ts"

export function remainingParts(parts: readonly Part[], cutOff: CutOff | undefined): readonly Part[] {
  if (cutOff === undefined) return parts
  if (cutOff.text !== "") return after(parts, cutOff.text, spokenText)
  if (cutOff.reasoning !== "") return after(parts, cutOff.reasoning, reasoningOf)
  return parts
}

type Selector = (part: Part) => string | undefined

function after(parts: readonly Part[], prefix: string, select: Selector): readonly Part[] {
  const whole = parts.map((part) => select(part) ?? "").join("")
  if (!whole.startsWith(prefix)) return parts
  let remaining = prefix.length
  for (const [index, part] of parts.entries()) {
    const text = select(part) ?? ""
    if (remaining < text.length) return resumed(text.slice(remaining), part, parts.slice(index + 1))
    remaining -= text.length
    if (remaining === 0 && text !== "") return passed(parts.slice(index + 1))
  }
  return []
}

/** White space that was trimmed from the prompt must not trigger the cut again. */
function resumed(text: string, part: Part, following: readonly Part[]): readonly Part[] {
  const beyond = passed(following)
  if (text.trim() === "" && beyond.length < following.length) return beyond
  return ["reasoning" in part ? { reasoning: text } : { text }, ...following]
}

/** Drops the part that stopped the answer, with the delays around it. */
function passed(parts: readonly Part[]): readonly Part[] {
  const nextOutput = parts.findIndex((part) => (spokenText(part) ?? reasoningOf(part)) !== undefined || "call" in part)
  const silent = nextOutput === -1 ? parts : parts.slice(0, nextOutput)
  return parts.slice(silent.findLastIndex(stops) + 1)
}

function stops(part: Part): boolean {
  return "cut" in part || "hang" in part || ("error" in part && part.error.inStream !== true)
}

function spokenText(part: Part): string | undefined {
  if ("chunks" in part) return part.chunks.join("")
  return "text" in part ? part.text : undefined
}

function reasoningOf(part: Part): string | undefined {
  return "reasoning" in part ? part.reasoning : undefined
}
