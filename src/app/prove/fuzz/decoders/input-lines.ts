// Inputs of decoders as text.

const MAX_QUOTED = 300

/** Not the empty ones. */
export function linesOf(input: Uint8Array): readonly string[] {
  return textOf(input)
    .split("\n")
    .filter((line) => line.trim() !== "")
}

const MAX_HEADER = 30

/** The first line, if it is short, and what is behind it. */
export function headed(input: Uint8Array): { readonly name: string; readonly rest: Buffer } {
  const bytes = Buffer.from(input)
  const end = bytes.subarray(0, MAX_HEADER).indexOf(10)
  return { name: bytes.toString("latin1", 0, Math.max(0, end)), rest: bytes.subarray(end + 1) }
}

export function textOf(input: Uint8Array): string {
  return Buffer.from(input).toString("utf8")
}

/** For a finding. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text)
}

/** The input in pieces at places that depend on it alone. */
export function inPieces(input: Uint8Array): readonly Uint8Array[] {
  const pieces: Uint8Array[] = []
  let state = 2_166_136_261
  for (let at = 0; at < input.length;) {
    for (const byte of input.subarray(at, at + 4)) state = Math.imul(state ^ byte, 16_777_619)
    const length = 1 + ((state >>> 8) % ((state >>> 3) % 4 === 0 ? 3 : 90))
    pieces.push(input.subarray(at, at + length))
    at += length
  }
  return pieces
}
