// How much there is to make of a line, told without making it. Parsing costs by the number of values and not by the
// length: a line of brackets alone would take seconds and a gigabyte, a prompt of the same length next to nothing.

/** No frame of a client comes near it. */
export const mostParts = 100_000

const [quote, comma, bracket, brace, backslash] = [0x22, 0x2c, 0x5b, 0x7b, 0x5c]

/** Reads JSON only so far as to tell strings from the rest; of what is no JSON the answer means nothing. */
export function hasTooManyParts(text: string, most = mostParts): boolean {
  if (text.length <= most) return false
  let parts = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === comma || code === bracket || code === brace) parts += 1
    if (parts > most) return true
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
