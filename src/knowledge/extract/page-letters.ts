// The letters of a page: as its own mark says, else as the server says, else as the page says; a page that says nothing
// and is not UTF-8 is read as browsers read it. Letters that are wrong would be quoted as if they stood there.
const fallback = "windows-1252"
const headBytes = 1024

export function pageLetters(file: Uint8Array, named: string | undefined): string {
  const charset = [markOf(file), named, metaCharset(file)].find((label) => label !== undefined && isKnown(label))
  if (charset !== undefined) return new TextDecoder(charset).decode(file)
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(file)
  } catch {
    return new TextDecoder(fallback).decode(file)
  }
}

/** As a server names it beside the media type. */
export function charsetOf(mediaType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(mediaType)?.[1]
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le"
  if (first === 0xfe && second === 0xff) return "utf-16be"
  return first === 0xef && second === 0xbb && third === 0xbf ? "utf-8" : undefined
}

/** A page in which this can be read so is not in UTF-16, whatever it says. */
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
