// Replaces pieces of a text. A piece must occur exactly once, unless all of its occurrences are to be replaced. Line
// endings are ignored in the search, and the new piece gets the line endings of the text. Pure.
import { lineAt, placesOf } from "../../contract/text/places.ts"
import { replaceLoosely, type LooseDifference } from "./loose-match.ts"

export type Replacement =
  | { readonly kind: "replaced"; readonly text: string; readonly times?: number; readonly loose?: LooseMatch }
  /** Number of occurrences (not one), and the lines of the first ones. */
  | {
      readonly kind: "ambiguous"
      readonly times: number
      readonly lines: readonly number[]
      readonly ignoring?: LooseDifference
    }
  /** The result would have more than MAX_TEXT_LENGTH characters. */
  | { readonly kind: "too-long" }

/** Of a text that a replacement may make. Repeated replacements could otherwise double it until memory is full. */
export const MAX_TEXT_LENGTH = 16 * 1024 * 1024

export interface LooseMatch {
  readonly line: number
  readonly ignoring: LooseDifference
}

const NAMED_LINES = 20
const BYTE_ORDER_MARK = "\ufeff"

export function replaceOnce(text: string, oldPiece: string, newPiece: string): Replacement {
  const plain = withLineFeeds(text)
  const piece = withLineFeeds(oldPiece)
  const places = placesOf(plain, piece)
  const [place] = places
  if (place === undefined || places.length > 1) {
    const lines = places.slice(0, NAMED_LINES).map((index) => lineAt(plain, index))
    return { kind: "ambiguous", times: places.length, lines }
  }
  const toOriginal = originalIndex(text)
  const [from, to] = [toOriginal(place), toOriginal(place + piece.length)]
  return { kind: "replaced", text: text.slice(0, from) + withLineEndsOf(newPiece, text, oldPiece) + text.slice(to) }
}

/** If it does not occur, a unique place is taken where only white space or typographic characters differ. */
export function replacePiece(text: string, oldPiece: string, newPiece: string): Replacement {
  const exact = replaceOnce(text, oldPiece, newPiece)
  if (exact.kind !== "ambiguous" || exact.times > 0) return exact
  const lineEnd = lineEndOf(text)
  if (lineEnd === undefined) return exact // its line ends could not be kept
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "" // white space, but no indentation
  const body = withLineFeeds(text.slice(mark.length))
  const loose = replaceLoosely(body, withLineFeeds(oldPiece), withLineFeeds(newPiece))
  if (loose.kind === "none") return exact
  if (loose.kind === "ambiguous") return loose
  const { line, ignoring } = loose
  return { kind: "replaced", text: mark + loose.text.replaceAll("\n", lineEnd), loose: { line, ignoring } }
}

/** Occurrences that do not overlap. */
export function replaceEvery(text: string, oldPiece: string, newPiece: string): Replacement {
  const plain = withLineFeeds(text)
  const piece = withLineFeeds(oldPiece)
  const times = countOf(plain, piece)
  if (times === 0) return replacePiece(text, oldPiece, newPiece)
  const put = withLineEndsOf(newPiece, text, oldPiece)
  if (text.length + times * (put.length - piece.length) > MAX_TEXT_LENGTH) return { kind: "too-long" }
  if (plain === text) return { kind: "replaced", text: text.replaceAll(piece, put.replaceAll("$", "$$$$")), times }
  const toOriginal = originalIndex(text)
  let replaced = ""
  let end = 0
  for (let at = plain.indexOf(piece); at !== -1; at = plain.indexOf(piece, at + piece.length)) {
    replaced += text.slice(end, toOriginal(at)) + put
    end = toOriginal(at + piece.length)
  }
  return { kind: "replaced", text: replaced + text.slice(end), times }
}

function countOf(text: string, piece: string): number {
  let times = 0
  for (let at = text.indexOf(piece); at !== -1; at = text.indexOf(piece, at + piece.length)) times++
  return times
}

function withLineFeeds(text: string): string {
  return text.replaceAll("\r\n", "\n")
}

/** From an index in the text with plain line feeds to the index in the original text. Indices must not decrease. */
function originalIndex(text: string): (index: number) => number {
  let pairs = 0
  let next = text.indexOf("\r\n")
  return (index) => {
    while (next !== -1 && next < index + pairs) {
      pairs++
      next = text.indexOf("\r\n", next + 2)
    }
    return index + pairs
  }
}

function withLineEndsOf(piece: string, text: string, oldPiece: string): string {
  const pairs = text.split("\r\n").length - 1
  if (pairs === 0 && !oldPiece.includes("\r\n")) return piece
  const plain = withLineFeeds(piece)
  return pairs > text.split("\n").length - 1 - pairs ? plain.replaceAll("\n", "\r\n") : plain
}

/** Undefined where both kinds occur. */
function lineEndOf(text: string): "\n" | "\r\n" | undefined {
  const pairs = text.split("\r\n").length - 1
  if (pairs === 0) return "\n"
  return pairs === text.split("\n").length - 1 ? "\r\n" : undefined
}
