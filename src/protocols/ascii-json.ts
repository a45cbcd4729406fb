// JSON in ASCII. Everything outside is escaped, because some readers count characters where bytes are meant, and some
// decode each chunk by itself; halves of characters become U+FFFD, because strict parsers refuse them.

/** JSON itself has no control characters left. */
const beyondAscii = /[^ -~]/
const everyBeyondAscii = /[^ -~]/g
/** JSON.stringify escapes a half of a character and nothing else this way. */
const halfEscape = "\\ud"
const everyEscape = /\\(ud[89a-f][0-9a-f]{2}|.)/g

export function asciiJson(value: object | string): string {
  const json = JSON.stringify(value)
  const mended = json.includes(halfEscape) ? json.replaceAll(everyEscape, withoutHalves) : json
  return beyondAscii.test(mended) ? mended.replaceAll(everyBeyondAscii, escaped) : mended
}

function withoutHalves(escape: string): string {
  return escape.startsWith(halfEscape) ? "\\ufffd" : escape
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
}
