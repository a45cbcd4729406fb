// Makes new inputs from those that are known: by JSON values where an input has some, else and often also byte by byte.
import type { JsonValue } from "../../../../contract/values.ts"
import { tryParseJson } from "../../../../contract/json-object.ts"
import { pick } from "../../seeded.ts"
import { mutateJson, type Materials } from "./mutate-json.ts"

type Below = (below: number) => number

export interface MutatorOptions {
  readonly below: Below
  readonly words: readonly string[]
  /** Any known input. */
  readonly other: () => Uint8Array
}

/** Bytes of an input that is made here. */
const MAX_BYTES = 256 * 1024
/** Bytes that are changed, added or taken away at once. */
const MAX_PIECE = 64
/** One of so many inputs is made very long. */
const LONG_EVERY = 4000
const LONG_BYTES = 2 * 1024 * 1024
const newline = "\n"

const oddBytes: readonly (readonly number[])[] = [
  [0x00],
  [0xff],
  [0x80],
  [0x0a],
  [0x0d, 0x0a],
  [0x22],
  [0x5c],
  [0x7b],
  [0x7d],
  [0x5b],
  [0x2c],
  [0x3a],
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xef, 0xbb, 0xbf],
  [0xe2, 0x80, 0xa8],
  [0xf0, 0x9f, 0x98],
]

export class Mutator {
  readonly #options: MutatorOptions
  readonly #materials: Materials

  constructor(options: MutatorOptions) {
    const { below, words } = options
    this.#options = options
    this.#materials = { below, words: words.length === 0 ? [""] : words, other: () => jsonIn(options.other(), below) }
  }

  mutate(input: Uint8Array): Uint8Array {
    const { below } = this.#options
    if (below(LONG_EVERY) === 0) return this.#long(input)
    let changed = input
    if (below(6) > 0) changed = this.#byValue(input) ?? input
    if (changed === input || below(20) === 0) changed = this.#byBytes(changed)
    return changed.length > MAX_BYTES ? changed.subarray(0, MAX_BYTES) : changed
  }

  /** Changes the JSON of one line; undefined if the line has none. */
  #byValue(input: Uint8Array): Uint8Array | undefined {
    const text = Buffer.from(input).toString("utf8")
    const whole = mutateJson(text, this.#materials)
    if (whole !== undefined) return Buffer.from(whole)
    const lines = text.split(newline)
    const chosen = this.#options.below(lines.length)
    const line = lines[chosen] ?? ""
    const start = line.search(/[[{]/)
    if (start === -1) return undefined
    const changed = mutateJson(line.slice(start), this.#materials)
    if (changed === undefined) return undefined
    return Buffer.from(lines.with(chosen, line.slice(0, start) + changed).join(newline))
  }

  #byBytes(input: Uint8Array): Uint8Array {
    const { below } = this.#options
    let changed = input
    for (let times = 1 + below(4); times > 0; times -= 1) changed = this.#changeBytes(changed)
    return changed
  }

  #changeBytes(input: Uint8Array): Uint8Array {
    const { below, words, other } = this.#options
    const at = below(input.length + 1)
    const piece = below(MAX_PIECE)
    switch (below(9)) {
      case 0:
        return flipped(input, at, below)
      case 1:
        return spliced(input, at, piece, [])
      case 2:
        return spliced(input, at, 0, Uint8Array.from(pick(oddBytes, below)))
      case 3:
        return spliced(input, at, 1, Uint8Array.from(pick(oddBytes, below)))
      case 4:
        return spliced(input, at, 0, Buffer.from(words.length === 0 ? "" : pick(words, below)))
      case 5:
        return spliced(input, at, 0, input.subarray(at, at + piece))
      case 6:
        return crossed(input, at, other(), below)
      case 7:
        return input.subarray(0, at)
      default:
        return joined(input, other())
    }
  }

  /** The input with its beginning, or a piece of it, repeated. */
  #long(input: Uint8Array): Uint8Array {
    const { below } = this.#options
    const piece = input.subarray(below(input.length + 1)).subarray(0, 1 + below(MAX_PIECE))
    if (piece.length === 0) return input
    const times = Math.ceil((1 + below(LONG_BYTES)) / piece.length)
    return spliced(input, below(input.length + 1), 0, Buffer.alloc(times * piece.length, piece))
  }
}

function flipped(input: Uint8Array, at: number, below: Below): Uint8Array {
  const changed = Uint8Array.from(input)
  if (at < changed.length) changed[at] = (changed[at] ?? 0) ^ (1 << below(8))
  return changed
}

function spliced(input: Uint8Array, at: number, removed: number, added: Uint8Array | readonly number[]): Uint8Array {
  return Buffer.concat([input.subarray(0, at), Uint8Array.from(added), input.subarray(at + removed)])
}

/** Begins as one input and ends as the other. */
function crossed(input: Uint8Array, at: number, other: Uint8Array, below: Below): Uint8Array {
  return Buffer.concat([input.subarray(0, at), other.subarray(below(other.length + 1))])
}

/** Both, one after the other. */
function joined(input: Uint8Array, other: Uint8Array): Uint8Array {
  return Buffer.concat([input, Buffer.from(newline), other])
}

function jsonIn(input: Uint8Array, below: Below): JsonValue | undefined {
  const text = Buffer.from(input).toString("utf8")
  const lines = text.split(newline)
  const line = lines[below(lines.length)] ?? ""
  return tryParseJson(text) ?? tryParseJson(line.slice(Math.max(0, line.search(/[[{]/))))
}
