// Joins PNG pictures of the same size to one that is animated (APNG). Programs that do not know animations show the first.
import { crc32 } from "node:zlib"

export interface Frame {
  readonly png: Buffer
  readonly ms: number
}

interface Chunk {
  readonly type: string
  readonly data: Buffer
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Throws unless all have the size and the colours of the first. */
export function animatedPng(frames: readonly Frame[]): Buffer {
  const pictures = frames.map(({ png, ms }) => ({ chunks: chunksOf(png), ms }))
  const [first] = pictures
  const header = first?.chunks.find(({ type }) => type === "IHDR")
  if (header === undefined) throw new Error("there is no picture")
  let sequence = 0
  const parts = [SIGNATURE, chunk("IHDR", header.data), chunk("acTL", numbers(frames.length, 0))]
  for (const [at, { chunks, ms }] of pictures.entries()) {
    if (chunks.find(({ type }) => type === "IHDR")?.data.equals(header.data) !== true)
      throw new Error(`picture ${at + 1} differs from the first in its size or colours`)
    parts.push(chunk("fcTL", Buffer.concat([numbers(sequence++), header.data.subarray(0, 8), timing(ms)])))
    for (const { data } of chunks.filter(({ type }) => type === "IDAT"))
      parts.push(at === 0 ? chunk("IDAT", data) : chunk("fdAT", Buffer.concat([numbers(sequence++), data])))
  }
  return Buffer.concat([...parts, chunk("IEND", Buffer.alloc(0))])
}

/** At the top left, for so long, in place of what was there. */
function timing(ms: number): Buffer {
  const delay = Buffer.alloc(6)
  delay.writeUInt16BE(ms, 0)
  delay.writeUInt16BE(1000, 2)
  return Buffer.concat([numbers(0, 0), delay])
}

function chunksOf(png: Buffer): readonly Chunk[] {
  if (!png.subarray(0, 8).equals(SIGNATURE)) throw new Error("this is not a PNG picture")
  const chunks: Chunk[] = []
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at)
    chunks.push({ type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) })
    at += length + 12
  }
  return chunks
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data])
  return Buffer.concat([numbers(data.length), named, numbers(crc32(named))])
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at)
  return bytes
}
