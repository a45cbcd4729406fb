// Parses a line as strictly as the Rust peers of this protocol. They refuse what `JSON.parse` accepts: a duplicate key, an
// escaped lone surrogate, a number out of range, unlimited nesting. They also tell 2 from 2.0, so a line with such
// numbers yields a second value to check. The scan before parsing takes linear time.
import { frameLimits } from "./limits.ts"

const { depth: MAX_DEPTH } = frameLimits
const notJson = "the line is not one JSON value"

export type ParsedJson =
  /** `probe` is the value with 0.5 for each number that is not written as an integer: check it like `value`. */
  | { readonly kind: "value"; readonly value: unknown; readonly probe: unknown }
  | { readonly kind: "bad"; readonly problem: string }

export function parseStrict(text: string, maxTokens: number): ParsedJson {
  const scan = new Scan(text, maxTokens)
  const problem = scan.fault()
  if (problem !== undefined) return { kind: "bad", problem }
  try {
    const value: unknown = JSON.parse(text)
    return { kind: "value", value, probe: scan.fractions.length === 0 ? value : JSON.parse(scan.probe()) }
  } catch {
    return { kind: "bad", problem: notJson }
  }
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [bracket, bracketEnd, brace, braceEnd] = [0x5b, 0x5d, 0x7b, 0x7d]
const [minus, zero, nine] = [0x2d, 0x30, 0x39]

/** One pass over the text. It does not know the grammar of JSON: for other text the result means nothing. */
class Scan {
  readonly fractions: { readonly start: number; readonly end: number }[] = []
  readonly #text: string
  readonly #maxTokens: number
  /** The open containers: an object with its keys so far, or an array. */
  readonly #open: (Set<string> | undefined)[] = []
  #isKey = false
  /** Strings, numbers, containers and commas so far: each costs time to scan. */
  #tokens = 0
  #at = 0

  constructor(text: string, maxTokens: number) {
    this.#text = text
    this.#maxTokens = maxTokens
  }

  fault(): string | undefined {
    let problem: string | undefined
    while (this.#at < this.#text.length && problem === undefined) problem = this.#next(this.#text.charCodeAt(this.#at))
    return problem
  }

  /** The text with 0.5 for each number that is not written as an integer. */
  probe(): string {
    const between = this.fractions.map(({ start }, at) => this.#text.slice(this.fractions[at - 1]?.end ?? 0, start))
    return [...between, this.#text.slice(this.fractions.at(-1)?.end ?? 0)].join("0.5")
  }

  /** Scans the token that begins here and moves behind it. */
  #next(code: number): string | undefined {
    const start = this.#at++
    if (code === quote) {
      this.#at = endOfString(this.#text, start) + 1
      return this.#count() ?? this.#string(start, this.#at - 1)
    }
    if (code === minus || (code >= zero && code <= nine)) {
      this.#at = endOfNumber(this.#text, start)
      return this.#count() ?? this.#number(start, this.#at)
    }
    if (code === bracket) return this.#count() ?? this.#enter(undefined)
    if (code === brace) return this.#count() ?? this.#enter(new Set())
    if (code === comma) {
      this.#isKey = this.#open.at(-1) !== undefined
      return this.#count()
    }
    if (code === bracketEnd || code === braceEnd) this.#open.pop()
    if (code === bracketEnd || code === braceEnd || code === colon) this.#isKey = false
    return undefined
  }

  #count(): string | undefined {
    this.#tokens += 1
    return this.#tokens > this.#maxTokens ? `the line has more than ${this.#maxTokens} tokens` : undefined
  }

  #enter(container: Set<string> | undefined): string | undefined {
    this.#open.push(container)
    this.#isKey = container !== undefined
    return this.#open.length > MAX_DEPTH ? `the line is nested more than ${MAX_DEPTH} levels deep` : undefined
  }

  #string(start: number, end: number): string | undefined {
    const raw = this.#text.slice(start + 1, end)
    const isEscaped = raw.includes("\\u")
    const keys = this.#isKey ? this.#open.at(-1) : undefined
    if (keys === undefined && !isEscaped) return undefined
    const text = raw.includes("\\") ? unescaped(raw) : raw
    if (text === undefined) return notJson
    if (isEscaped && !text.isWellFormed()) return "a string has an escaped lone surrogate"
    if (keys?.has(text) === true) return `duplicate key ${JSON.stringify(text.slice(0, 40))}`
    keys?.add(text)
    return undefined
  }

  #number(start: number, end: number): string | undefined {
    const literal = this.#text.slice(start, end)
    if (!Number.isFinite(Number(literal)) && digits.test(literal)) return "a number is out of range"
    if (literal === "-0" || notInteger.test(literal)) this.fractions.push({ start, end })
    return undefined
  }
}

const notInteger = /[.eE]/
const digits = /\d$/

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) return at
    if (code === backslash) at += 1
  }
  return text.length
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && isInNumber(text.charCodeAt(at))) at += 1
  return at
}

/** Digits, signs, point and exponent. */
function isInNumber(code: number): boolean {
  return (code >= zero && code <= nine) || code === minus || code === 0x2b || code === 0x2e || (code | 0x20) === 0x65
}

/** Undefined: not JSON. The scan stops at the first, because a failing parse costs much more than reading. */
function unescaped(raw: string): string | undefined {
  try {
    return String(JSON.parse(`"${raw}"`))
  } catch {
    return undefined
  }
}
