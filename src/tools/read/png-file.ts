// Writes PNG files.
import { crc32, deflateSync } from "node:zlib"

/** From the content of its header, and its rows with a filter byte in front of each. */
export function pngOfRows(header: Uint8Array, rows: Uint8Array): Buffer {
  const signature = Buffer.from("89504e470d0a1a0a", "hex")
  const parts = [chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]
  return Buffer.concat([signature, ...parts])
}

/** A header: 8 bits a channel, not interlaced. */
export function pngHeader(width: number, height: number, colourType: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  header[9] = colourType
  return header
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
