// Type of a file by its content; names and extensions are not trusted. Only types that models accept are known.

export type AttachmentKind =
  | { readonly kind: "image"; readonly mediaType: string; readonly size: ImageSize | undefined }
  | { readonly kind: "pdf" }
  | { readonly kind: "text" }
  /** `what` describes it to a person. */
  | { readonly kind: "other"; readonly what: string }

export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** Where the end of a PDF is searched. */
const pdfTailBytes = 1024
const utf8 = new TextDecoder("utf-8", { fatal: true })

export function attachmentKind(bytes: Buffer): AttachmentKind {
  const image = imageKind(bytes)
  if (image !== undefined) return image
  if (startsWith(bytes, "%PDF-")) return pdfKind(bytes)
  return isPlainText(bytes) ? { kind: "text" } : { kind: "other", what: "binary data" }
}

function imageKind(bytes: Buffer): AttachmentKind | undefined {
  if (startsWith(bytes, "\x89PNG\r\n\x1a\n")) return { kind: "image", mediaType: "image/png", size: pngSize(bytes) }
  if (startsWith(bytes, "\xff\xd8\xff")) return { kind: "image", mediaType: "image/jpeg", size: jpegSize(bytes) }
  if (startsWith(bytes, "GIF87a") || startsWith(bytes, "GIF89a"))
    return { kind: "image", mediaType: "image/gif", size: gifSize(bytes) }
  if (startsWith(bytes, "RIFF") && startsWith(bytes.subarray(8), "WEBP"))
    return { kind: "image", mediaType: "image/webp", size: webpSize(bytes) }
  return undefined
}

function pdfKind(bytes: Buffer): AttachmentKind {
  const isWhole = bytes.subarray(-pdfTailBytes).includes("%%EOF")
  return isWhole ? { kind: "pdf" } : { kind: "other", what: "a PDF document without its end" }
}

function isPlainText(bytes: Buffer): boolean {
  try {
    return !/[^\P{Cc}\n\r\t]/u.test(utf8.decode(bytes))
  } catch {
    return false
  }
}

function pngSize(bytes: Buffer): ImageSize | undefined {
  return bytes.length < 24 ? undefined : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function gifSize(bytes: Buffer): ImageSize | undefined {
  return bytes.length < 10 ? undefined : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

function webpSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30) return undefined
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) }
    case "VP8L": {
      const bits = bytes.readUInt32LE(21)
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) }
    }
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    default:
      return undefined
  }
}

/** The frame header follows segments of any number and length. */
function jpegSize(bytes: Buffer): ImageSize | undefined {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes.readUInt8(at + 1)
    if (isFrameHeader(marker)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

/** SOF0 to SOF15, except for three with another meaning. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

function startsWith(bytes: Buffer, start: string): boolean {
  return bytes.toString("latin1", 0, start.length) === start
}
