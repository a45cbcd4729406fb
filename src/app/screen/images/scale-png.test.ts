import { expect, it } from "vitest"
import { pngFile } from "../../../tools/fixtures/images.ts"
import { pngHeader, pngOfRows } from "../../../tools/read/png-file.ts"
import { scaledPng } from "./scale-png.ts"

const full = (size: { readonly width: number; readonly height: number }) => size
const pixelsOf = async (file: Buffer, size = full) => {
  const pixels = await scaledPng(file, size)
  return pixels === undefined ? undefined : [...pixels.data]
}

function headerOf(width: number, height: number, colourType: number, depth: number): Buffer {
  const header = pngHeader(width, height, colourType)
  header[8] = depth
  return header
}

it.each([
  ["none", [0, 10, 20, 30, 40, 50, 60]],
  ["left", [1, 10, 20, 30, 30, 30, 30]],
])("reads rows that are filtered by: %s", async (_name, row) => {
  expect(await pixelsOf(pngOfRows(pngHeader(2, 1, 2), Buffer.from(row)))).toEqual([10, 20, 30, 255, 40, 50, 60, 255])
})

it.each([
  ["the row above", [2, 1, 1], [11, 21]],
  ["the mean of left and above", [3, 5, 5], [10, 20]],
  ["the closest neighbour", [4, 1, 1], [11, 21]],
])("reads rows that are filtered by %s", async (_name, second, grey) => {
  const file = pngOfRows(pngHeader(2, 2, 0), Buffer.from([0, 10, 20, ...second]))
  const data = (await pixelsOf(file)) ?? []
  expect([data[8], data[12]]).toEqual(grey)
})

it("reads grey of one bit, of 16 bits, and colours of a palette", async () => {
  expect(await pixelsOf(pngOfRows(headerOf(2, 1, 0, 1), Buffer.from([0, 0b0100_0000])))).toEqual([
    0, 0, 0, 255, 255, 255, 255, 255,
  ])
  expect(await pixelsOf(pngOfRows(headerOf(1, 1, 0, 16), Buffer.from([0, 7, 99])))).toEqual([7, 7, 7, 255])
  expect(await pixelsOf(pngOfRows(headerOf(1, 1, 3, 8), Buffer.from([0, 1])))).toEqual([0, 0, 0, 255])
})

it("makes a smaller picture of the means, with colours by their opacity", async () => {
  const file = pngOfRows(pngHeader(2, 1, 6), Buffer.from([0, 100, 0, 0, 255, 200, 0, 0, 255]))
  expect(await pixelsOf(file, () => ({ width: 1, height: 1 }))).toEqual([150, 0, 0, 255])
  const half = pngOfRows(pngHeader(2, 1, 6), Buffer.from([0, 100, 0, 0, 0, 200, 0, 0, 255]))
  expect(await pixelsOf(half, () => ({ width: 1, height: 1 }))).toEqual([200, 0, 0, 128])
})

it("refuses a file that is damaged, has more data than it says, is too large or is interlaced", async () => {
  expect(await pixelsOf(Buffer.from("89504e470d0a1a0a", "hex"))).toBeUndefined()
  expect(await pixelsOf(pngOfRows(pngHeader(2, 1, 0), Buffer.alloc(100)))).toBeUndefined()
  expect(await pixelsOf(pngOfRows(pngHeader(100_000, 100, 0), Buffer.alloc(3)))).toBeUndefined()
  expect(await pixelsOf(pngFile(3, 2).fill(1, 28, 29))).toBeUndefined()
})
