// JSON as text: written in ASCII for readers that need it, and measured before it is parsed.
/** JSON itself has no control characters left. */
const beyondAscii = /[^ -~]/
const everyBeyondAscii = /[^ -~]/g
/** JSON.stringify escapes a lone surrogate and nothing else this way. */
export const SURROGATE_ESCAPE = "\\ud"
const everyEscape = /\\(ud[89a-f][0-9a-f]{2}|.)/g

/**
 * Everything outside ASCII is escaped, because some readers count characters where bytes are meant, and some decode each
 * chunk by itself. Lone surrogates become U+FFFD, because strict parsers refuse them.
 */
export function asciiJson(value: object | string): string {
  const json = JSON.stringify(value)
  const wellFormed = json.includes(SURROGATE_ESCAPE) ? json.replaceAll(everyEscape, replaceSurrogate) : json
  return beyondAscii.test(wellFormed) ? wellFormed.replaceAll(everyBeyondAscii, escapeUnit) : wellFormed
}

function replaceSurrogate(escape: string): string {
  return escape.startsWith(SURROGATE_ESCAPE) ? "\\ufffd" : escape
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
}

/** Values of one line. No frame of a client comes near it. */
export const MAX_PARTS = 100_000

const [quote, comma, bracket, brace, backslash] = [0x22, 0x2c, 0x5b, 0x7b, 0x5c]

/**
 * Whether parsing would cost too much: it takes time by the number of values, not by the length. A line of brackets alone
 * would take seconds and a gigabyte. Only strings are recognised, so for text that is not JSON the result means nothing.
 */
export function hasTooManyParts(text: string, max = MAX_PARTS): boolean {
  if (text.length <= max) return false
  let parts = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === comma || code === bracket || code === brace) parts += 1
    if (parts > max) return true
  }
  return false
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let before = at
  while (text.charCodeAt(before - 1) === backslash) before -= 1
  return (at - before) % 2 === 1
}

/** Whether JSON is nested deeper than this. Recurses no deeper itself. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1))
}

/** Characters of a field's path that an error repeats. */
const MAX_PATH_LENGTH = 100

/** The first error of a generated check: the field and what is wrong with it, never its value. */
export function firstFault(errors: readonly { instancePath: string; message: string }[] | null | undefined): string {
  const [first] = errors ?? []
  if (first === undefined) return "it has the wrong form"
  return `${first.instancePath.slice(1, 1 + MAX_PATH_LENGTH)} ${first.message}`.trim()
}
