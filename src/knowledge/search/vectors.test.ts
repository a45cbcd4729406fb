import { describe, expect, it } from "vitest"
import { TopScores } from "./keyword.ts"
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
    const scores = new TopScores(undefined)
    for (const [id, score] of [
      [5000, 1],
      [3, 2],
      [9, 1],
      [3, 1],
      [7, 0.05],
    ] as const)
      scores.add(id, score)
    expect(scores.best(3, 0.1)).toEqual([
      { id: 3, score: 3 },
      { id: 9, score: 1 },
      { id: 5000, score: 1 },
    ])
  })

  it("are limited to a set, if one is given", () => {
    const scores = new TopScores(new Set([2]))
    scores.add(1, 5)
    scores.add(2, 1)
    expect(scores.best(9, 0)).toEqual([{ id: 2, score: 1 }])
  })
})
