import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createRedactor } from "../secrets/redactor.ts"
import { boundText, BoundedOutput } from "./output-bound.ts"

function through(limit: number, chunks: readonly Uint8Array[]): BoundedOutput {
  const output = new BoundedOutput(limit)
  for (const chunk of chunks) output.push(chunk)
  return output
}

describe("bounded output", () => {
  it("is complete while it fits", () => {
    const output = through(10, [Buffer.from("12345"), Buffer.from("67890")])
    expect(output.text()).toBe("1234567890")
    expect(output.truncated).toBe(false)
  })

  it("keeps the beginning and the end and states how much is omitted", () => {
    const chunks = Array.from({ length: 1000 }, (_, index) => Buffer.from(`${index}\n`))
    const output = through(20, chunks)
    expect(output.text()).toBe("0\n1\n2\n3\n4\n\n[… 3,870 bytes left out …]\n7\n998\n999\n")
    expect(output.truncated).toBe(true)
    expect(output.totalBytes).toBe(3890)
  })

  it("does not depend on how it is split into chunks", () => {
    const pieces = fc.array(fc.integer({ min: 1, max: 25 }), { maxLength: 20 })
    fc.assert(
      fc.property(pieces, fc.integer({ min: 2, max: 30 }), (sizes, limit) => {
        const total = sizes.reduce((sum, size) => sum + size, 0)
        const all = Buffer.from(Array.from({ length: total }, (_, index) => 97 + (index % 26)))
        let from = 0
        const chunks = sizes.map((size) => all.subarray(from, (from += size)))
        expect(through(limit, chunks).text()).toBe(through(limit, [all]).text())
        const end = all.subarray(total <= limit ? 0 : -Math.ceil(limit / 2)).toString()
        expect(through(limit, chunks).text().endsWith(end)).toBe(true)
      }),
    )
  })

  it("uses memory that does not depend on the size of the input", () => {
    const output = new BoundedOutput(1024)
    const chunk = Buffer.alloc(1024 * 1024, "x")
    const before = process.memoryUsage().arrayBuffers
    for (let count = 0; count < 1024; count++) output.push(chunk)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024)
    expect(output.totalBytes).toBe(1024 ** 3)
  })

  it("never splits a character and exceeds its limit at most by the notice", () => {
    const word = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\ufffd")) // stands for a split one
    const words = fc.array(word, { maxLength: 30 })
    fc.assert(
      fc.property(words, fc.integer({ min: 8, max: 60 }), (pieces, limit) => {
        const text = through(
          limit,
          pieces.map((piece) => Buffer.from(piece)),
        ).text()
        expect(text).not.toContain("\ufffd")
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limit + 50)
        expect(boundText(pieces.join(""), limit)).not.toContain("\ufffd")
      }),
    )
  })

  it("stays within its limit when invalid bytes grow as they are decoded", () => {
    const noise = Buffer.alloc(100_000, 0xff)
    expect(Buffer.byteLength(through(1000, [noise]).text())).toBeLessThanOrEqual(1050)
    expect(Buffer.byteLength(through(1000, [noise.subarray(0, 900)]).text())).toBeLessThanOrEqual(1050)
  })
})

describe("a secret in bounded output", () => {
  const value = "s3cr3t-Value-0123456789"
  const scrubber = createRedactor({ secrets: [{ name: "KEY", value }], key: new Uint8Array(32) })
  const parts = Array.from({ length: value.length - 3 }, (_, from) => value.slice(from, from + 4))

  it("is not split by the limit, wherever it is", () => {
    const everywhere = fc.integer({ min: 0, max: 200 })
    fc.assert(
      fc.property(everywhere, everywhere, fc.integer({ min: 20, max: 100 }), (before, after, limit) => {
        const all = Buffer.from(".".repeat(before) + value + ".".repeat(after))
        const text = through(limit, [all]).text(scrubber)
        expect(parts.filter((part) => text.includes(part))).toEqual([])
      }),
    )
  })

  it("is not split when it is the whole output", () => {
    const output = through(1000, [Buffer.from(value.repeat(100_000))])
    const text = output.text(scrubber)
    expect(parts.filter((part) => text.includes(part))).toEqual([])
    expect(text).toContain("redacted:KEY")
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1050)
  })
})
