// Finds pieces of secrets in texts, whatever surrounds them. It knows every piece of a fixed length, as it is and in base64,
// and compares them with pieces of the text: independent of how the redactor searches.
import type { PlantedSecret } from "./random-secrets.ts"

/** Characters of a piece; so many of these random ones do not occur by chance. */
const PIECE = 8
/** Every how many characters a text is looked at: a piece of PIECE + STEP - 1 characters is always found. */
const STEP = 4
/** Hexadecimal digits are less random, and a log has many of them. */
const HEX_PIECE = 24
/** Shown around what is found. */
const CONTEXT = 100

export interface Found {
  readonly kind: string
  /** With its surroundings. */
  readonly text: string
}

export class Needles {
  readonly #pieces = new Map<string, string>()
  readonly #hexPieces = new Map<string, string>()

  add({ kind, random }: PlantedSecret): void {
    for (const part of random) {
      if (/^[0-9a-f]+$/.test(part)) addPieces(this.#hexPieces, part, HEX_PIECE, kind)
      else addPieces(this.#pieces, part, PIECE, kind)
      for (const encoded of [0, 1, 2].map((lead) => insideBase64(part, lead))) {
        addPieces(this.#pieces, encoded, PIECE, kind)
        addPieces(this.#pieces, encoded.replaceAll("+", "-").replaceAll("/", "_"), PIECE, kind)
      }
    }
  }

  find(text: string): Found | undefined {
    return find(this.#pieces, PIECE, text) ?? find(this.#hexPieces, HEX_PIECE, text)
  }
}

function addPieces(pieces: Map<string, string>, text: string, length: number, kind: string): void {
  for (let at = 0; at + length <= text.length; at += 1) pieces.set(text.slice(at, at + length), kind)
}

/** The characters of base64 that depend on the text alone, if so many bytes come before it. */
function insideBase64(text: string, lead: number): string {
  const encoded = Buffer.from("\0".repeat(lead) + text).toString("base64")
  return encoded.slice(lead === 0 ? 0 : lead + 1, Math.floor(((lead + text.length) * 8) / 6))
}

function find(pieces: ReadonlyMap<string, string>, length: number, text: string): Found | undefined {
  if (pieces.size === 0) return undefined
  for (let at = 0; at + length <= text.length; at += STEP) {
    const kind = pieces.get(text.slice(at, at + length))
    if (kind !== undefined) return { kind, text: text.slice(Math.max(0, at - CONTEXT), at + CONTEXT) }
  }
  return undefined
}
