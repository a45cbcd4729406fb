// Character encoding of a page: from its byte order mark, its server, the page itself, or as browsers guess it. A wrong
// encoding would be quoted as if it were the text.
const fallback = "windows-1252"
const headBytes = 1024

export function decodePage(file: Uint8Array, named: string | undefined): string {
  const charset = [markOf(file), named, metaCharset(file)].find((label) => label !== undefined && isKnown(label))
  if (charset !== undefined) return new TextDecoder(charset).decode(file)
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(file)
  } catch {
    return new TextDecoder(fallback).decode(file)
  }
}

/** From the content type header. */
export function charsetOf(mediaType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(mediaType)?.[1]
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le"
  if (first === 0xfe && second === 0xff) return "utf-16be"
  return first === 0xef && second === 0xbb && third === 0xbf ? "utf-8" : undefined
}

/** A page in which this can be read is not UTF-16, whatever it declares. */
function metaCharset(file: Uint8Array): string | undefined {
  const head = Buffer.from(file.subarray(0, headBytes)).toString("latin1")
  const label = /<meta\s[^>]*charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(head)?.[1]
  return label !== undefined && /^utf-?16/i.test(label) ? "utf-8" : label
}

function isKnown(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== ""
  } catch {
    return false
  }
}
