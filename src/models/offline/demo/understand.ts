// From a message to stages of requests. Sentences, lines and "then" make one stage after another; "and" in front of a
// verb joins requests of one stage when all of them only look. What fits no phrase is kept as unknown, never guessed.
import type { JsonValue } from "../../../contract/values.ts"
import { delegation } from "./delegation.ts"
import { phrase } from "./phrases.ts"
import { mask, unmask } from "./quoted.ts"
import { onlyLooks, type Request, type Stage } from "./request.ts"

/** Longer messages, literals not counted, are no plain request; rules would also take too long over them. */
const longest = 2000
/** The same with literals: finding them takes the square of the length. */
const longestWithLiterals = 8000

const between = /\s*(?:[.!?;]\s+|\n+|,?\s+and then\s+|,?\s+then\s+|,\s*(?=then\s))\s*/i
const verbs = "read|open|list|look|search|grep|find|replace|change|write|save|append|create|run|execute|delete|remove"
const andVerb = new RegExp(String.raw`,?\s+and\s+(?:also\s+)?(?=(?:${verbs})\b)`, "i")
const courtesy =
  /^(?:(?:hi|hello|hey|ok|okay|so|now|then|first|next|finally|also|please|can you|could you|would you|i want you to|i would like you to|thanks|thank you)(?: there)?[\s,.!:]+)+/i

/** Asks for no more than the answer that comes anyway. */
const andTell =
  /,? and (?:tell|show|give|explain|say)(?: to)?(?: me)? (?:what (?:you|it|they|is|are)\b|about|the (?:result|output|outcome)|how (?!many)).*$/i

export function understand(message: string): readonly Stage[] {
  const call = toolCall(message)
  if (call !== undefined) return [[call]]
  const agents = message.length > longest ? undefined : delegation(message)
  if (agents !== undefined) return [agents]
  if (message.length > longestWithLiterals) return [[{ kind: "unknown", text: message }]]
  const { text, literals } = mask(message.trim())
  if (text.length > longest) return [[{ kind: "unknown", text: message }]]
  return stages(text).map((stage) => stage.map((request) => literal(request, literals)))
}

function stages(text: string): readonly Stage[] {
  const clauses = text
    .split(between)
    .map(tidy)
    .filter((clause) => clause !== "")
  if (clauses.length === 0) return [[{ kind: "help" }]] // a greeting, or nothing at all
  const inOrder = clauses.map(joined)
  if (inOrder.every((group) => group !== undefined)) return inOrder.flat()
  const whole = phrase(tidy(text))
  if (whole !== undefined) return [whole]
  // Half a message is not enough to change anything on: the other half may have said when not to.
  const understood = inOrder.flatMap((group) => group ?? []).flat()
  if (understood.length === 0 || !understood.every(onlyLooks)) return [[{ kind: "unknown", text }]]
  return inOrder.flatMap((group, index) => group ?? [[{ kind: "unknown", text: clauses[index] ?? "" } as const]])
}

/** The stages of one clause, or nothing when a part of it fits no phrase. */
function joined(clause: string): readonly Stage[] | undefined {
  const pieces = clause.split(andVerb).map((piece) => phrase(tidy(piece)))
  if (!pieces.every((piece) => piece !== undefined)) {
    const whole = phrase(clause)
    return whole && [whole]
  }
  return pieces.flat().every(onlyLooks) ? [pieces.flat()] : pieces
}

function tidy(clause: string): string {
  return `${clause.trim()} `
    .replace(courtesy, "")
    .replace(andTell, "")
    .replace(/(?<=[^\s.!?])[.!?]+\s*$|\s+[!?]*\s*$/, "") // not the dots of a path
    .replace(/,?\s+(?:please|for me)$/i, "")
    .replaceAll(/\s+/g, " ")
}

function literal(request: Request, literals: readonly string[]): Request {
  const put = (text: string) => unmask(text, literals)
  switch (request.kind) {
    case "look":
      return { ...request, path: request.path && put(request.path) }
    case "read":
      return { ...request, path: put(request.path), wanted: request.wanted && put(request.wanted) }
    case "search":
      return { ...request, text: put(request.text), path: request.path && put(request.path) }
    case "find-files":
      return { ...request, glob: put(request.glob), path: request.path && put(request.path) }
    case "replace":
      return { ...request, path: put(request.path), from: put(request.from), to: put(request.to) }
    case "write":
    case "append":
      return { ...request, path: put(request.path), text: put(request.text) }
    case "run":
      return { ...request, command: put(request.command) }
    case "delete":
      return { ...request, path: put(request.path) }
    case "unknown":
      return { ...request, text: put(request.text) }
    case "call":
    case "ask-agent":
    case "delegate":
    case "help":
    case "nothing":
      return request
  }
}

/** `call TOOL with {json}` reaches any tool there is; its quotes belong to the JSON. */
function toolCall(message: string): Request | undefined {
  const text = message.trim().replace(/\.$/, "").trimEnd()
  const [head = "", tool] =
    /^(?:please )?(?:call|use)(?: the)?(?: tool)? ([\w.-]+)(?: tool)?(?: with)?\s*(?=\{)/i.exec(text) ?? []
  const json = text.slice(head.length)
  if (tool === undefined || !json.endsWith("}")) return undefined
  try {
    const input: JsonValue = JSON.parse(json)
    return { kind: "call", tool, input }
  } catch {
    return undefined // not JSON after all: the phrases have their say
  }
}
