// Finds tokens by their shape: a known beginning, and a rest of known characters.
import { createFormIndex, type Found, type FormIndex } from "./form-index.ts"
import type { Secret } from "./forms.ts"

export interface TokenShape {
  readonly name: string
  readonly begin: string
  /** Sticky; must match after the beginning. */
  readonly rest: RegExp
  /** Maximum length of the rest. */
  readonly maxLength: number
  /** How many characters of what matches are the token; 0: none. Default: all. */
  readonly measure?: (match: string) => number
}

/** Characters of the rest of a token. */
const tokenCharacters = /[\w.+/=-]*/y

export function createTokenIndex(shapes: readonly TokenShape[], minSuffix: number): FormIndex {
  const begins = new Map(shapes.map((shape) => [shape.begin, shape]))
  const index = createFormIndex(
    [...begins.keys()].map((text) => ({ text, secret: { name: "", value: text } })),
    minSuffix,
  )
  const longest = shapes.reduce((maxLength, shape) => Math.max(maxLength, shape.begin.length + shape.maxLength), 0)

  function find(text: string, from: number): Found | undefined {
    for (let prefix = index.find(text, from); prefix !== undefined; prefix = index.find(text, prefix.start + 1)) {
      const shape = begins.get(prefix.secret.value)
      const end = shape && endOf(shape, text, prefix)
      if (shape !== undefined && end !== undefined) {
        const secret: Secret = { name: shape.name, value: text.slice(prefix.start, end) }
        return { start: prefix.start, end, secret }
      }
    }
    return undefined
  }

  /** A beginning whose rest may still follow counts as open. */
  function openFrom(text: string): number {
    const first = Math.max(0, text.length - longest)
    for (let prefix = index.find(text, first); prefix !== undefined; prefix = index.find(text, prefix.start + 1)) {
      const maxLength = begins.get(prefix.secret.value)?.maxLength ?? 0
      if (text.length - prefix.end < maxLength && matchEnd(tokenCharacters, text, prefix.end) === text.length)
        return prefix.start
    }
    return index.openFrom(text)
  }

  return { find, openFrom }
}

function endOf(shape: TokenShape, text: string, begin: Found): number | undefined {
  const matched = matchEnd(shape.rest, text, begin.end)
  if (matched === undefined) return undefined
  const end = Math.min(matched, begin.end + shape.maxLength)
  if (shape.measure === undefined) return end
  const length = shape.measure(text.slice(begin.start, end))
  return length === 0 ? undefined : begin.start + length
}

function matchEnd(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : undefined
}
