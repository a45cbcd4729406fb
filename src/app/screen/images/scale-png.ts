// Decodes a PNG file to a picture of a given size. Rows are read one after the other, so that a large picture is never in
// memory as pixels. Interlaced files, which are rare, are not read.
import { setImmediate as otherWork } from "node:timers/promises"
import { promisify } from "node:util"
import { inflate } from "node:zlib"
import type { PixelSize } from "../../../tui/images/image-size.ts"
import type { Pixels } from "../../../tui/images/sixel.ts"

/** Pixels of a picture that is decoded: those of a 4K screen. */
const MAX_PIXELS = 9_000_000
const SIGNATURE_BYTES = 8
const inflated = promisify(inflate)

interface PngFile {
  readonly width: number
  readonly height: number
  readonly depth: number
  readonly channels: number
  readonly hasPalette: boolean
  readonly palette: Buffer
  /** Opacity of each colour of the palette. */
  readonly opacity: Buffer
  readonly data: Buffer
}

/** Undefined if it cannot be decoded. `size` is not larger than the picture. */
export async function scaledPng(file: Buffer, sizeFor: (full: PixelSize) => PixelSize): Promise<Pixels | undefined> {
  const png = parsePng(file)
  if (png === undefined || png.width * png.height > MAX_PIXELS) return undefined
  const { width, height, depth, channels } = png
  const rowBytes = Math.ceil((width * channels * depth) / 8)
  const rows = await inflated(png.data, { maxOutputLength: height * (rowBytes + 1) }).catch(() => undefined)
  return rows?.length === height * (rowBytes + 1) ? scaled(png, rows, rowBytes, sizeFor(png)) : undefined
}

const channelsOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
const PALETTE = 3

function parsePng(file: Buffer): PngFile | undefined {
  const chunks = new Map<string, Buffer[]>()
  for (let at = SIGNATURE_BYTES; at + 8 <= file.length;) {
    const [length, type] = [file.readUInt32BE(at), file.toString("latin1", at + 4, at + 8)]
    const known = chunks.get(type) ?? []
    known.push(file.subarray(at + 8, at + 8 + length))
    chunks.set(type, known)
    at += length + 12
  }
  const header = chunks.get("IHDR")?.[0]
  const channels = channelsOf[header?.[9] ?? -1]
  if (header?.length !== 13 || channels === undefined || header[12] !== 0) return undefined
  const depth = header[8] ?? 0
  if (![1, 2, 4, 8, 16].includes(depth)) return undefined
  return {
    width: header.readUInt32BE(0),
    height: header.readUInt32BE(4),
    depth,
    channels,
    hasPalette: header[9] === PALETTE,
    palette: chunks.get("PLTE")?.[0] ?? Buffer.alloc(0),
    opacity: (header[9] === PALETTE ? chunks.get("tRNS")?.[0] : undefined) ?? Buffer.alloc(0),
    data: Buffer.concat(chunks.get("IDAT") ?? []),
  }
}

/** Milliseconds of work after which keys and frames have their turn. */
const TURN_MS = 8

/** Each pixel is the mean of some of those that it stands for. */
async function scaled(png: PngFile, rows: Buffer, rowBytes: number, { width, height }: PixelSize): Promise<Pixels> {
  const sums = new Float64Array(width * height * 4)
  const counts = new Uint32Array(width * height)
  const bytesBack = Math.max(1, (png.channels * png.depth) >> 3)
  const step = Math.max(1, Math.floor(png.height / height / MAX_SAMPLES))
  let before: Buffer = Buffer.alloc(rowBytes)
  let turn = performance.now()
  for (let y = 0; y < png.height; y += 1) {
    const start = y * (rowBytes + 1)
    const row = rows.subarray(start + 1, start + 1 + rowBytes)
    unfilter(row, before, rows[start] ?? 0, bytesBack)
    if (y % step === 0) addRow(png, row, Math.floor((y * height) / png.height) * width, { width, sums, counts })
    before = row
    if (performance.now() - turn < TURN_MS) continue
    await otherWork()
    turn = performance.now()
  }
  return { width, height, data: means(sums, counts) }
}

/** In place. */
function unfilter(row: Buffer, before: Buffer, filter: number, back: number): void {
  if (filter === 0) return
  for (let at = 0; at < row.length; at += 1) {
    const left = at < back ? 0 : (row[at - back] ?? 0)
    const up = before[at] ?? 0
    const corner = at < back ? 0 : (before[at - back] ?? 0)
    row[at] = (row[at] ?? 0) + predicted(filter, left, up, corner)
  }
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 1:
      return left
    case 2:
      return up
    case 3:
      return (left + up) >> 1
    default:
      return paeth(left, up, corner)
  }
}

/** The neighbour that is closest to left + up - corner. */
function paeth(left: number, up: number, corner: number): number {
  const [toLeft, toUp, toCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)]
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}

interface Sums {
  readonly width: number
  readonly sums: Float64Array
  readonly counts: Uint32Array
}

const GREY_ONLY = 2
/** Samples for a pixel, in each direction. */
const MAX_SAMPLES = 3

function addRow(png: PngFile, row: Buffer, target: number, { width, sums, counts }: Sums): void {
  const { channels } = png
  const hasOpacity = channels === 2 || channels === 4
  const step = Math.max(1, Math.floor(png.width / width / MAX_SAMPLES))
  for (let x = 0; x < png.width; x += step) {
    const first = channels * x
    const sample = (channel: number) => sampleAt(row, first + channel, png.depth, png.hasPalette)
    const colour = sample(0)
    const isGrey = channels <= GREY_ONLY && !png.hasPalette
    const part = (channel: number) =>
      png.hasPalette ? (png.palette[3 * colour + channel] ?? 0) : isGrey ? colour : sample(channel)
    const opacity = png.hasPalette ? (png.opacity[colour] ?? 255) : hasOpacity ? sample(channels - 1) : 255
    const at = target + Math.floor((x * width) / png.width)
    for (let channel = 0; channel < 3; channel += 1)
      sums[4 * at + channel] = (sums[4 * at + channel] ?? 0) + part(channel) * opacity
    sums[4 * at + 3] = (sums[4 * at + 3] ?? 0) + opacity
    counts[at] = (counts[at] ?? 0) + 1
  }
}

/** From 0 to 255; a number of the palette as it is. */
function sampleAt(row: Buffer, index: number, depth: number, isNumber: boolean): number {
  if (depth === 8) return row[index] ?? 0
  if (depth === 16) return row[2 * index] ?? 0
  const perByte = 8 / depth
  const shift = 8 - depth * ((index % perByte) + 1)
  const value = ((row[Math.floor(index / perByte)] ?? 0) >> shift) & ((1 << depth) - 1)
  return isNumber ? value : Math.round((value * 255) / ((1 << depth) - 1))
}

/** Colours count by their opacity. */
function means(sums: Float64Array, counts: Uint32Array): Uint8Array {
  const data = new Uint8Array(sums.length)
  for (let at = 0; at < counts.length; at += 1) {
    const opacity = sums[4 * at + 3] ?? 0
    for (let channel = 0; channel < 3; channel += 1)
      data[4 * at + channel] = opacity === 0 ? 0 : Math.round((sums[4 * at + channel] ?? 0) / opacity)
    data[4 * at + 3] = Math.round(opacity / Math.max(1, counts[at] ?? 0))
  }
  return data
}
