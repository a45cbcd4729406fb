import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { readPriceOverrides } from "./price-overrides.ts"

const folder = mkdtempSync(join(tmpdir(), "turnhouse-prices-"))
const file = join(folder, "prices.json")
afterAll(() => rmSync(folder, { recursive: true }))

function read(content: unknown) {
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content))
  return readPriceOverrides(file)
}

const usage = { input: 1000, output: 10, cacheRead: 600, cacheWrite5m: 100, cacheWrite1h: 200, reasoning: 0 }

describe("the user's price file", () => {
  it("prices every kind of token", async () => {
    const prices = { input: 10, output: 100, cacheRead: 1, cacheWrite5m: 20, cacheWrite1h: 30 }
    const own = (await read({ models: { "gate/large": { ...prices, contextWindow: 64_000, maxOutput: 4000 } } })).get(
      "gate/large",
    )
    expect(own).toMatchObject({ contextWindow: 64_000, maxOutput: 4000, prices })
    // 100 uncached, 600 read, 100 and 200 written, 10 out
    expect(own?.costUsd(usage)).toBeCloseTo((1000 + 600 + 2000 + 6000 + 1000) / 1e6, 12)
  })

  it("prices cached tokens as input by default", async () => {
    const own = (await read({ models: { large: { input: 10, output: 100 } } })).get("large")
    expect(own?.costUsd(usage)).toBeCloseTo((10_000 + 1000) / 1e6, 12)
  })

  it("may set limits without prices", async () => {
    const own = (await read({ models: { small: { contextWindow: 8192 } } })).get("small")
    expect(own).toMatchObject({ contextWindow: 8192, prices: undefined })
    expect(own?.costUsd(usage)).toBeUndefined()
  })

  it("may be missing", async () => {
    expect((await readPriceOverrides(join(folder, "nowhere.json"))).size).toBe(0)
    expect((await readPriceOverrides(undefined)).size).toBe(0)
  })

  it.each([
    ["{", "it is not JSON"],
    [[], "it must be an object with the key 'models'"],
    [{ models: { a: 1 } }, 'models["a"] must be an object'],
    [{ models: { a: { inputt: 1 } } }, `models["a"] has an unknown key 'inputt'`],
    [{ models: { a: { input: "1", output: 2 } } }, `models["a"].input must be a non-negative number`],
    [{ models: { a: { input: 1 } } }, `models["a"] needs both 'input' and 'output'`],
  ])("is refused with the location of the mistake: %j", async (content, complaint) => {
    await expect(read(content)).rejects.toThrow(`The price file ${file} is wrong: ${complaint}`)
  })

  it("is refused when it cannot be read", async () => {
    await expect(readPriceOverrides(folder)).rejects.toThrow("it cannot be read")
  })
})
