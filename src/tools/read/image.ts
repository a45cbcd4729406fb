// Images that are sent to the model: kind, size in pixels, and whether the file is complete. A provider refuses a request
// with a damaged image, and with it every later request of the session.
import { limits } from "../../contract/limits.ts"

export interface ImageInfo {
  readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp"
  readonly width: number
  readonly height: number
}

type Size = Pick<ImageInfo, "width" | "height">

/** Undefined if the first bytes are not those of an image that models take. */
export function imageTypeOf(head: Uint8Array): ImageInfo["mediaType"] | undefined {
  const hex = Buffer.from(head.subarray(0, 12)).toString("hex")
  if (hex.startsWith("89504e470d0a1a0a")) return "image/png"
  if (hex.startsWith("ffd8ff")) return "image/jpeg"
  if (hex.startsWith("474946383761") || hex.startsWith("474946383961")) return "image/gif"
  return hex.startsWith("52494646") && hex.slice(16, 24) === "57454250" ? "image/webp" : undefined
}

/** A sentence about why the image cannot be sent, or what it is. */
export function imageInfo(bytes: Buffer, mediaType: ImageInfo["mediaType"]): ImageInfo | string {
  const size = isComplete(bytes, mediaType) ? sizeOf(bytes, mediaType) : undefined
  if (size === undefined || size.width === 0 || size.height === 0) return "it is damaged or incomplete"
  const most = limits.toolImagePixels
  if (size.width > most || size.height > most)
    return `it has ${size.width} × ${size.height} pixels and models take at most ${most} on a side; make it smaller first`
  return { mediaType, ...size }
}

function isComplete(bytes: Buffer, mediaType: ImageInfo["mediaType"]): boolean {
  switch (mediaType) {
    case "image/png":
      return bytes.subarray(-64).includes("IEND")
    case "image/jpeg":
      return bytes.subarray(-64).includes(Buffer.from([0xff, 0xd9]))
    case "image/gif":
      return bytes.subarray(-64).includes(0x3b)
    case "image/webp":
      return bytes.length >= 8 && bytes.readUInt32LE(4) + 8 <= bytes.length
  }
}

function sizeOf(bytes: Buffer, mediaType: ImageInfo["mediaType"]): Size | undefined {
  switch (mediaType) {
    case "image/png":
      return bytes.length < 24 ? undefined : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
    case "image/gif":
      return bytes.length < 10 ? undefined : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
    case "image/jpeg":
      return jpegSize(bytes)
    case "image/webp":
      return webpSize(bytes)
  }
}

/** From the first frame header; the segments before it are skipped. */
function jpegSize(bytes: Buffer): Size | undefined {
  let at = 2
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

function webpSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 30) return undefined
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case "VP8L": {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}
