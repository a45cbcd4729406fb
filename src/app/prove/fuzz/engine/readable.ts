// Inputs as text that people can read: in the files of corpora and in reports.

/** Before bytes that are not UTF-8: each character is one byte. */
const bytesMark = "bytes:"

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

export function readable(input: Uint8Array): string {
  const text = textOf(input)
  return text === undefined || text.startsWith(bytesMark)
    ? `${bytesMark}${Buffer.from(input).toString("latin1")}`
    : text
}

export function bytesOf(text: string): Uint8Array {
  return text.startsWith(bytesMark) ? Buffer.from(text.slice(bytesMark.length), "latin1") : Buffer.from(text)
}

function textOf(input: Uint8Array): string | undefined {
  try {
    return decoder.decode(input)
  } catch {
    return undefined
  }
}
