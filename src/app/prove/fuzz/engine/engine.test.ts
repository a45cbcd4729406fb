import { expect, it } from "vitest"
import { seeded } from "../../seeded.ts"
import { Finding, type FuzzTarget } from "../fuzz-target.ts"
import { Coverage } from "./coverage.ts"
import { FuzzRun } from "./fuzz-run.ts"
import { Mutator } from "./mutator.ts"
import { bytesOf, readable } from "./readable.ts"

const seed = Buffer.from('{"type":"prompt","id":"1","deep":{"list":[1,2,"three"]}}')

function inputsOf(number: number): readonly string[] {
  const mutator = new Mutator({ below: seeded(number), words: ["type", "id"], other: () => seed })
  return Array.from({ length: 2000 }, () => readable(mutator.mutate(seed)))
}

it("makes the same inputs from the same seed, many of them JSON and all within bounds", () => {
  const inputs = inputsOf(1)
  expect(inputsOf(1)).toEqual(inputs)
  expect(inputsOf(2)).not.toEqual(inputs)
  expect(new Set(inputs).size).toBeGreaterThan(1000)
  expect(inputs.filter(isJson).length).toBeGreaterThan(1000)
  expect(inputs.filter((input) => !isJson(input)).length).toBeGreaterThan(100)
})

it("writes every input as text that gives the same bytes", () => {
  for (const bytes of [seed, Buffer.from([0xff, 0x00, 0x0a]), Buffer.from("bytes:a"), Buffer.from("é\ufeff")])
    expect(Buffer.from(bytesOf(readable(bytes)))).toEqual(Buffer.from(bytes))
  expect(readable(seed)).toBe(seed.toString())
})

it("finds an input that fails, and makes it as short as it can", async () => {
  const found = await fuzz({
    run: (input) => {
      if (Buffer.from(input).includes("]]")) throw new Finding("list", "two brackets")
      return true
    },
  })
  expect(found).toMatchObject({ event: "list", what: "two brackets", isRepeatable: true })
  expect(found?.inputs.map(readable)).toEqual(["]]"])
})

it("finds what an earlier input has left behind, with the inputs that are needed", async () => {
  const seen: string[] = []
  const found = await fuzz({
    seeds: [Buffer.from("open"), Buffer.from("use"), Buffer.from("other")],
    run: (input) => {
      seen.push(readable(input))
      return true
    },
    check: async () => {
      if (seen.indexOf("open") !== -1 && seen.indexOf("open") < seen.lastIndexOf("use")) throw new Error("in use")
    },
    open: () => seen.splice(0),
  })
  expect(found).toMatchObject({ event: "uncaught", isRepeatable: true })
  expect(found?.inputs.map(readable)).toEqual(["open", "use"])
})

interface Toy {
  readonly seeds?: readonly Uint8Array[]
  readonly run: FuzzTarget["run"]
  readonly check?: () => Promise<void>
  readonly open?: () => void
}

function fuzz({ seeds = [seed], run, check = async () => {}, open = () => {} }: Toy) {
  const target: FuzzTarget = { name: "toy", seeds, words: ["]"], modules: [], run, check }
  return new FuzzRun({
    open: async () => {
      open()
      return target
    },
    place: { folder: "" },
    coverage: Coverage.start(),
    seed: 1,
    frames: 20_000,
    corpus: [],
    onBatch: () => {},
    onRun: async () => {},
  }).run()
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
