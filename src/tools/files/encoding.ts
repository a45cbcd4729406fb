// Character encodings of text files: UTF-8, UTF-16 with or without a byte order mark, and Windows-1252, which includes
// the printable part of Latin-1. A file keeps its encoding when it is changed.

export interface Encoding {
  readonly label: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252"
  /** Whether the file starts with a byte order mark. */
  readonly hasMark: boolean
}

export const utf8: Encoding = { label: "utf-8", hasMark: false }

/** Bytes at the start of a file by which its encoding is guessed. */
export const probedBytes = 8192

/** Share of the bytes that must be NUL on one side of UTF-16, and may be NUL on the other. */
const WIDE_SHARE = 0.4
const NARROW_SHARE = 0.02

/** Encodings to try in this order; none for binary data. */
export function encodingsOf(head: Uint8Array): readonly Encoding[] {
  const marked = encodingOfMark(head)
  if (marked !== undefined) return [marked]
  const wide = wideEncoding(head)
  if (wide !== undefined) return [wide]
  return head.includes(0) ? [] : [utf8, { label: "windows-1252", hasMark: false }]
}

function encodingOfMark([first, second, third]: Uint8Array): Encoding | undefined {
  if (first === 0xff && second === 0xfe) return { label: "utf-16le", hasMark: true }
  if (first === 0xfe && second === 0xff) return { label: "utf-16be", hasMark: true }
  return first === 0xef && second === 0xbb && third === 0xbf ? { label: "utf-8", hasMark: true } : undefined
}

/** UTF-16 without a mark is recognised by the NULs of its ASCII characters. */
function wideEncoding(head: Uint8Array): Encoding | undefined {
  const pairs = Math.floor(head.length / 2)
  if (pairs < 2) return undefined
  let even = 0
  let odd = 0
  for (let at = 0; at < pairs * 2; at++) {
    if (head[at] !== 0) continue
    if (at % 2 === 0) even++
    else odd++
  }
  if (odd >= pairs * WIDE_SHARE && even <= pairs * NARROW_SHARE) return { label: "utf-16le", hasMark: false }
  return even >= pairs * WIDE_SHARE && odd <= pairs * NARROW_SHARE ? { label: "utf-16be", hasMark: false } : undefined
}

/** Decodes a file in pieces. `keepsMark` gives the byte order mark as a character. */
export class TextReader {
  readonly #decoder: InstanceType<typeof TextDecoder>
  readonly #isGuess: boolean

  constructor({ label }: Encoding, keepsMark = false) {
    this.#decoder = new TextDecoder(label, { fatal: true, ignoreBOM: keepsMark })
    this.#isGuess = label === "windows-1252"
  }

  /** Undefined when the bytes are not text in this encoding. The last piece has no bytes. */
  push(bytes?: Uint8Array): string | undefined {
    if (this.#isGuess && bytes?.some(isUnlikely)) return undefined
    try {
      return bytes === undefined ? this.#decoder.decode() : this.#decoder.decode(bytes, { stream: true })
    } catch {
      return undefined
    }
  }
}

/** Every byte is valid Windows-1252, so control characters and unused places tell that it is none. */
function isUnlikely(byte: number): boolean {
  if (byte < 0x20) return byte < 0x08 || (byte > 0x0d && byte !== 0x1b)
  return byte === 0x7f || unusedBytes.has(byte)
}

const unusedBytes: ReadonlySet<number> = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d])

export interface DecodedText {
  /** With its byte order mark. */
  readonly text: string
  readonly encoding: Encoding
}

/** Undefined where the bytes are not text. */
export function decodedText(bytes: Uint8Array): DecodedText | undefined {
  for (const encoding of encodingsOf(bytes.subarray(0, probedBytes))) {
    const reader = new TextReader(encoding, true)
    const text = reader.push(bytes)
    const rest = text === undefined ? undefined : reader.push()
    if (text !== undefined && rest !== undefined) return { text: text + rest, encoding }
  }
  return undefined
}

export type EncodedText =
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  /** A character that the encoding does not have. */
  | { readonly kind: "no"; readonly character: string }

/** `text` has its byte order mark already, if it needs one. */
export function encodedText(text: string, { label }: Encoding): EncodedText {
  switch (label) {
    case "utf-8":
      return { kind: "bytes", bytes: Buffer.from(text) }
    case "utf-16le":
      return { kind: "bytes", bytes: Buffer.from(text, "utf16le") }
    case "utf-16be":
      return { kind: "bytes", bytes: Buffer.from(text, "utf16le").swap16() }
    case "windows-1252":
      return encoded1252(text)
  }
}

function encoded1252(text: string): EncodedText {
  const bytes = Buffer.alloc(text.length)
  let length = 0
  for (const character of text) {
    const byte = bytesOf1252().get(character)
    if (byte === undefined) return { kind: "no", character }
    bytes[length++] = byte
  }
  return { kind: "bytes", bytes: bytes.subarray(0, length) }
}

let table1252: ReadonlyMap<string, number> | undefined

function bytesOf1252(): ReadonlyMap<string, number> {
  const characters = new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 256 }, (_, byte) => byte))
  return (table1252 ??= new Map(Array.from(characters, (character, byte) => [character, byte])))
}

const names = {
  "utf-8": "UTF-8",
  "utf-16le": "UTF-16 (little endian)",
  "utf-16be": "UTF-16 (big endian)",
  "windows-1252": "Windows-1252 (Latin-1)",
} as const

export function encodingName({ label }: Encoding): string {
  return names[label]
}
