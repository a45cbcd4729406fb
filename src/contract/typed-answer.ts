// A plain word that answers a request for approval, where there is nothing but a line to type. Pure.
import { permissionArgument } from "./main-argument.ts"
import type { Grant, JsonValue } from "./values.ts"

export interface TypedAnswer {
  readonly command: "approve" | "deny" | "always"
  /** The beginning of an id, where one was typed. */
  readonly which: string | undefined
}

const answers: ReadonlyMap<string, TypedAnswer["command"]> = new Map([
  ["y", "approve"],
  ["yes", "approve"],
  ["/approve", "approve"],
  ["n", "deny"],
  ["no", "deny"],
  ["/deny", "deny"],
  ["always", "always"],
  ["/always", "always"],
])

/** Longer text is a prompt, whatever it begins with. */
const maxLength = 100

/** How long after a request was settled an answer may still be meant for it. */
export const lateAnswerMs = 1000

export function typedAnswer(text: string): TypedAnswer | undefined {
  if (text.length > maxLength) return undefined
  const [word = "", which, ...more] = text.trim().split(/\s+/)
  const command = answers.get(word.toLowerCase())
  if (command === undefined || more.length > 0) return undefined
  const takesId = word.startsWith("/")
  return which === undefined || takesId ? { command, which } : undefined
}

/** What "always" allows: the same call for the rest of the session. Nothing if its argument could stand for others. */
export function rememberedCall(tool: string, input: JsonValue): Pick<Grant, "pattern" | "scope"> | undefined {
  const pattern = permissionArgument(tool, input)
  return pattern.includes("*") ? undefined : { pattern, scope: "session" }
}
