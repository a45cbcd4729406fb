// Plain text of any size, decoded in pieces.
import { TextDecoder } from "node:util"
import { ExtractFault } from "./extract-limits.ts"

/** UTF-8, or UTF-16 with a byte order mark. A zero byte means that it is not text. */
export async function* plainText(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  for await (const part of parts) {
    decoder ??= new TextDecoder(encodingOf(part), { fatal: true })
    if (decoder.encoding === "utf-8" && part.includes(0)) throw new ExtractFault("it is not a text file")
    yield decoded(() => decoder?.decode(part, { stream: true }))
  }
  yield decoded(() => decoder?.decode())
}

/** Guessed characters would be quoted as if they were the text. */
function decoded(decode: () => string | undefined): string {
  try {
    return decode() ?? ""
  } catch (fault) {
    throw new ExtractFault("it is neither UTF-8 nor UTF-16", { cause: fault })
  }
}

function encodingOf(beginning: Uint8Array): string {
  const [first, second] = beginning
  if (first === 0xff && second === 0xfe) return "utf-16le"
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"
}
