// Replaces a piece that occurs in a text only when differences are ignored that models often get wrong: typographic
// characters, white space at the end of lines, indentation. The match must be unique. Pure.

import { lineAt, placesIn, placesOf } from "../../contract/text/places.ts"

export type LooseDifference = "typographic characters" | "white space at the end of lines" | "indentation"

export type LooseReplacement =
  | { readonly kind: "replaced"; readonly text: string; readonly line: number; readonly ignoring: LooseDifference }
  | {
      readonly kind: "ambiguous"
      readonly times: number
      readonly lines: readonly number[]
      readonly ignoring: LooseDifference
    }
  | { readonly kind: "none" }

const NAMED_LINES = 20
/** Longer pieces are compared exactly only. */
const MAX_PIECE_LENGTH = 200_000

/** All three with plain line feeds. */
export function replaceLoosely(text: string, oldPiece: string, newPiece: string): LooseReplacement {
  if (oldPiece.trim() === "" || oldPiece.length > MAX_PIECE_LENGTH) return { kind: "none" }
  const plain = replaceTypographic(text, oldPiece, newPiece)
  if (plain.kind !== "none") return plain
  const trailing = replaceLines(text, oldPiece, newPiece, "white space at the end of lines")
  return trailing.kind === "none" ? replaceLines(text, oldPiece, newPiece, "indentation") : trailing
}

/** Each is replaced by one character, so that places stay the same. */
const typographic: ReadonlyMap<string, string> = new Map([
  ...Array.from("\u2018\u2019\u201a\u201b\u2032", (quote) => [quote, "'"] as const),
  ...Array.from("\u201c\u201d\u201e\u201f\u2033", (quote) => [quote, '"'] as const),
  ...Array.from("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", (dash) => [dash, "-"] as const),
  ...Array.from("\u00a0\u2002\u2003\u2009\u202f\u3000", (space) => [space, " "] as const),
])

function withoutTypography(text: string): string {
  return text.replaceAll(/[\u00a0\u2002\u2003\u2009\u2010-\u201f\u202f\u2032\u2033\u2212\u3000]/g, (character) => {
    return typographic.get(character) ?? character
  })
}

function replaceTypographic(text: string, oldPiece: string, newPiece: string): LooseReplacement {
  const plain = withoutTypography(text)
  const piece = withoutTypography(oldPiece)
  const places = placesOf(plain, piece)
  const [place] = places
  if (place === undefined) return { kind: "none" }
  const lines = places.slice(0, NAMED_LINES).map((at) => lineAt(text, at))
  const ignoring = "typographic characters"
  if (places.length > 1) return { kind: "ambiguous", times: places.length, lines, ignoring }
  const changed = text.slice(0, place) + newPiece + text.slice(place + piece.length)
  return { kind: "replaced", text: changed, line: lines[0] ?? 1, ignoring }
}

type LineDifference = Exclude<LooseDifference, "typographic characters">

/** Whole lines only: half a line has no indentation to compare. */
function replaceLines(text: string, oldPiece: string, newPiece: string, ignoring: LineDifference): LooseReplacement {
  const lines = text.split("\n")
  const { body: wanted, ending } = bodyOf(oldPiece)
  const places = matchingPlaces(lines, wanted, ignoring)
  const [place] = places
  if (place === undefined) return { kind: "none" }
  if (places.length > 1) {
    const numbers = places.slice(0, NAMED_LINES).map((at) => at + 1)
    return { kind: "ambiguous", times: places.length, lines: numbers, ignoring }
  }
  const found = lines.slice(place, place + wanted.length)
  const put = ignoring === "indentation" ? reindented(newPiece, wanted, found) : newPiece
  if (put === undefined) return { kind: "none" }
  const rest = lines.slice(place + wanted.length)
  const before = lines.slice(0, place).map((line) => `${line}\n`)
  const after = ending === "" ? (rest.length > 0 ? ["", ...rest] : []) : rest
  return { kind: "replaced", text: before.join("") + put + after.join("\n"), line: place + 1, ignoring }
}

/** The lines of a piece. A line feed at its end belongs to the last of them. */
function bodyOf(piece: string): { readonly body: readonly string[]; readonly ending: "" | "\n" } {
  return piece.endsWith("\n")
    ? { body: piece.slice(0, -1).split("\n"), ending: "\n" }
    : { body: piece.split("\n"), ending: "" }
}

function matchingPlaces(lines: readonly string[], wanted: readonly string[], ignoring: LineDifference): number[] {
  const comparable = (line: string) => {
    const plain = withoutTypography(line)
    return ignoring === "indentation" ? plain.trim() : plain.trimEnd()
  }
  return [...placesIn(lines.map(comparable), wanted.map(comparable))]
}

/** The new piece with the indentation of the file; undefined where the lines of the two are not indented alike. */
function reindented(newPiece: string, wanted: readonly string[], found: readonly string[]): string | undefined {
  const own = new Map<string, string>()
  for (const [index, line] of wanted.entries()) {
    if (line.trim() === "") continue
    const indent = indentOf(found[index] ?? "")
    const known = own.get(indentOf(line))
    if (known !== undefined && known !== indent) return undefined
    own.set(indentOf(line), indent)
  }
  return newPiece
    .split("\n")
    .map((line) => (line.trim() === "" ? line.trim() : ownIndent(indentOf(line), own) + line.trimStart()))
    .join("\n")
}

/** From the longest known indentation that it begins with, or else relative to the shortest one. */
function ownIndent(indent: string, own: ReadonlyMap<string, string>): string {
  const known = own.get(indent)
  if (known !== undefined) return known
  const bases = [...own.keys()].toSorted((one, other) => other.length - one.length)
  const base = bases.find((candidate) => indent.startsWith(candidate))
  if (base !== undefined) return (own.get(base) ?? "") + converted(indent.slice(base.length), own)
  const shortest = bases.at(-1) ?? ""
  const target = own.get(shortest) ?? ""
  const missing = converted(shortest.slice(indent.length), own).length
  return target.slice(0, Math.max(0, target.length - missing))
}

/** Spaces where the file has tabs become tabs, and the other way round. */
function converted(indent: string, own: ReadonlyMap<string, string>): string {
  for (const [theirs, ours] of own) {
    if (theirs === "" || ours === "") continue
    if (/^ +$/.test(theirs) && /^\t+$/.test(ours) && theirs.length % ours.length === 0 && /^ *$/.test(indent))
      return "\t".repeat(Math.round(indent.length / (theirs.length / ours.length)))
    if (/^\t+$/.test(theirs) && /^ +$/.test(ours) && ours.length % theirs.length === 0)
      return indent.replaceAll("\t", " ".repeat(ours.length / theirs.length))
  }
  return indent
}

function indentOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length)
}
