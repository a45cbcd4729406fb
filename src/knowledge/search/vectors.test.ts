import { describe, expect, it } from "vitest"
import { DocumentTable } from "./document-table.ts"
import { ScoreSheet } from "./score-sheet.ts"
import { Tally } from "./tally.ts"
import { cosine, nearestRows, quantised, signsOf, stored } from "./vectors.ts"

let seed = 7
function random(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32 - 0.5
}

function randomVector(dimensions = 96): Float32Array {
  return Float32Array.from({ length: dimensions }, random)
}

function exactCosine(one: Float32Array, other: Float32Array): number {
  const product = one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0)
  return (
    product / Math.sqrt(one.reduce((sum, value) => sum + value ** 2, 0) * other.reduce((sum, v) => sum + v ** 2, 0))
  )
}

describe("vectors of a byte per dimension", () => {
  it("have nearly the cosine of the original vectors", () => {
    for (let round = 0; round < 50; round++) {
      const [one, other] = [randomVector(), randomVector()]
      expect(Math.abs(cosine(quantised(one), quantised(other)) - exactCosine(one, other))).toBeLessThan(0.02)
    }
  })

  it("of zeros have no direction", () => {
    const nothing = quantised(new Float32Array(8))
    expect(cosine(nothing, quantised(randomVector(8)))).toBe(0)
  })
})

describe("comparing signs", () => {
  it("keeps the nearest rows within a tenth of all", () => {
    const wanted = randomVector()
    const rows = Array.from({ length: 500 }, (_, at) =>
      at < 5 ? wanted.map((value) => value + random() / 2) : randomVector(),
    )
    const block = Uint32Array.from(rows.flatMap((row) => [...signsOf(quantised(row))]))
    const near = nearestRows(block, signsOf(quantised(wanted)), 50)
    expect(near).toHaveLength(50)
    for (const row of [0, 1, 2, 3, 4]) expect(near).toContain(row)
  })

  it("returns all rows when there are fewer than requested", () => {
    const block = Uint32Array.from([...signsOf(quantised(randomVector())), ...signsOf(quantised(randomVector()))])
    expect(nearestRows(block, signsOf(quantised(randomVector())), 10)).toEqual([0, 1])
    expect(nearestRows(new Uint32Array(), new Uint32Array(3), 10)).toEqual([])
  })

  it("works when the dimensions do not fill a whole word", () => {
    const { bits, data } = stored(randomVector(40))
    expect([bits.byteLength, data.byteLength]).toEqual([8, 40])
  })
})

describe("the best scores", () => {
  it("are summed and sorted, ties by passage number", () => {
    const sheet = new ScoreSheet()
    for (const [id, score] of [
      [5000, 1],
      [3, 2],
      [9, 1],
      [3, 1],
      [7, 0.05],
    ] as const)
      sheet.add(id, score, 1)
    expect(sheet.best(3, ({ score }) => score)).toEqual([
      { id: 3, score: 3, covered: 2 },
      { id: 9, score: 1, covered: 1 },
      { id: 5000, score: 1, covered: 1 },
    ])
  })

  it("are not limited, so that good passages do not become equal", () => {
    const sheet = new ScoreSheet()
    sheet.add(1, 40, 1)
    sheet.add(2, 41, 1)
    expect(sheet.best(2, ({ score }) => score).map(({ id }) => id)).toEqual([2, 1])
  })

  it("are without those that the rating leaves out", () => {
    const sheet = new ScoreSheet()
    sheet.add(1, 5, 1)
    sheet.add(2, 1, 1)
    expect(sheet.best(9, ({ id, score }) => (id === 1 ? undefined : score))).toEqual([{ id: 2, score: 1, covered: 1 }])
  })
})

describe("a tally", () => {
  it("sums counts by number, and is empty after they were taken", () => {
    const tally = new Tally()
    tally.add(5000, 1)
    tally.add(3, 2, 1)
    tally.add(3, 1, 4)
    tally.add(4, 0, 2)
    const taken: unknown[] = []
    tally.take((...one) => taken.push(one))
    tally.take((...one) => taken.push(one))
    expect(taken).toEqual([
      [5000, 1, 0],
      [3, 3, 5],
      [4, 0, 2],
    ])
  })
})

describe("the documents of several classes", () => {
  it("are found by their passages, in order and one by one", () => {
    const spans = (first: readonly number[], passages: readonly number[]) => ({
      first: Float64Array.from(first),
      passages: Float64Array.from(passages),
    })
    const table = new DocumentTable(
      new Map([
        [7, spans([2, 9], [3, 1])],
        [8, spans([5, 12], [4, 2])],
      ]),
    )
    expect([2, 4, 9, 5, 8, 13].map((passage) => table.of(passage))).toEqual([0, 0, 1, 2, 2, 3])
    expect([1, 10, 14].map((passage) => table.of(passage))).toEqual([-1, -1, -1])
    expect([5, 6, 12].map(table.walk(8))).toEqual([2, 2, 3])
    expect([table.isOpening(2, 5), table.isOpening(2, 6), table.passages(2)]).toEqual([true, false, 4])
    expect(table.averagePassages).toBe(2.5)
  })
})
