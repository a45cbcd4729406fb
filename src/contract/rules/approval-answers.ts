// Answers to requests for approval that are not given by a button: flags of a command line, and plain words that a
// person types. A flag that covers every cause of a request may say yes; the answer is stored under the flag's name.
import type { AskCause, By, PolicyFlag, Grant, JsonValue } from "../values.ts"
import { permissionArgument } from "./core-tools.ts"

/** An unknown outcome has no flag: a person has to check what happened. */
const causesOfFlag: Readonly<Record<PolicyFlag, readonly AskCause[]>> = {
  "--yes": ["preset"],
  "--allow-tool": ["preset", "confirm", "approve", "extension"],
  "--allow-untrusted": ["untrusted"],
  unattended: [],
}

/** Prefix of the principal under which a flag's answer is stored. No client may have a name with this prefix. */
export const principalStart = "policy:"

export function uncoveredCauses(flags: readonly PolicyFlag[], causes: readonly AskCause[]): readonly AskCause[] {
  return causes.filter((cause) => !flags.some((flag) => causesOfFlag[flag].includes(cause)))
}

/** Those of the flags that are needed to answer. */
export function usedFlags(flags: readonly PolicyFlag[], causes: readonly AskCause[]): readonly PolicyFlag[] {
  return flags.filter((flag, index) => {
    const before = uncoveredCauses(flags.slice(0, index), causes)
    return uncoveredCauses([flag], before).length < before.length
  })
}

/** The flag to add to a command line so that it answers; undefined where only a person can. */
export function flagFor(cause: AskCause, tool: string): string | undefined {
  switch (cause) {
    case "preset":
      return "--yes"
    case "confirm":
    case "approve":
    case "extension":
      return `--allow-tool ${tool}`
    case "untrusted":
      return "--allow-untrusted"
    case "unsettled":
      return undefined
  }
}

export function policyPrincipal(flags: readonly PolicyFlag[]): string {
  return principalStart + flags.join(" ")
}

/** The display name of a principal: `policy (--yes)` for an answer by a flag. */
export function principalName(principal: string): string {
  return principal.startsWith(principalStart) ? `policy (${principal.slice(principalStart.length)})` : principal
}

/** The display name of the principal that decided. */
export function answererName(by: By | undefined): string {
  return by === undefined ? "an unknown user" : principalName(by.principal)
}

export interface TypedAnswer {
  readonly command: "approve" | "deny" | "always"
  /** The beginning of an id, where one was typed. */
  readonly idPrefix: string | undefined
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

/** An answer in plain text to a question of the agent. */
export interface TypedReply {
  readonly command: "answer"
  readonly text: string
}

/**
 * What plain text means while requests are open: it is for the oldest. A question takes any text that is no command;
 * `isLate`: the last request was answered a moment ago, so that what looks like an answer is none to the model.
 */
export function typedFor(
  oldest: { readonly questions?: readonly unknown[] | undefined } | undefined,
  text: string,
  isLate: boolean,
): TypedAnswer | TypedReply | undefined {
  const isReply = oldest?.questions !== undefined && text.trim() !== "" && !text.trim().startsWith("/")
  if (isReply) return { command: "answer", text }
  if (oldest !== undefined) return typedAnswer(text)
  if (!isLate) return undefined
  return (
    typedAnswer(text) ??
    (/^\d+(?:[\s,]+\d+)*$/.test(text.slice(0, maxLength).trim()) ? { command: "answer", text } : undefined)
  )
}

/** Longer text is a prompt, whatever it begins with. */
const maxLength = 100

/** For this long after a request was settled, a typed answer is taken as an answer to it and not as a prompt. */
export const lateAnswerMs = 1000

export function typedAnswer(text: string): TypedAnswer | undefined {
  if (text.length > maxLength) return undefined
  const [keyword = "", idPrefix, ...more] = text.trim().split(/\s+/)
  const command = answers.get(keyword.toLowerCase())
  if (command === undefined || more.length > 0) return undefined
  const acceptsId = keyword.startsWith("/")
  return idPrefix === undefined || acceptsId ? { command, idPrefix } : undefined
}

/** What "always" allows: the same call for the rest of the session. Undefined if its argument would match others. */
export function rememberedCall(tool: string, input: JsonValue): Pick<Grant, "pattern" | "scope"> | undefined {
  const pattern = permissionArgument(tool, input)
  return pattern.includes("*") ? undefined : { pattern, scope: "session" }
}
