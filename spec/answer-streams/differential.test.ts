// Our readers against the provider packages: the same bytes, cut anywhere, give the same parts, metadata and errors.
// differential.long.test.ts makes many more cuts.
import { describe, expect, it } from "vitest"
import { EventSplitter } from "../../src/models/streams/event-source.ts"
import { byOurs, byPackage, formats, type Chunks } from "./compare.ts"
import { samples } from "./samples.ts"

const SEEDED_CUTS = 4
const MAX_SPLITS = 400
/** Bytes; longer streams are cut into pieces of more than one byte. */
const MAX_SINGLE_BYTES = 4000

describe.each(samples)("$name", (format, ofFormat) => {
  it.each(ofFormat)("gives the same parts: $name", async ({ text, takeovers = 0 }) => {
    const whole = new TextEncoder().encode(text)
    const expected = { ...(await byPackage(format, [whole])), takeovers }
    expect(await byOurs(format, [whole])).toEqual(expected)
    expect(await byOurs(format, pieces(whole))).toEqual(expected)
    for (const at of seededCuts(whole.length))
      expect(await byOurs(format, [whole.subarray(0, at), whole.subarray(at)])).toEqual(expected)
  })

  it.each(ofFormat)("splits the same events wherever the bytes are cut: $name", ({ text }) => {
    const whole = new TextEncoder().encode(text)
    const expected = split([whole])
    const step = Math.ceil(whole.length / MAX_SPLITS)
    const places = Array.from({ length: Math.floor(whole.length / step) }, (_, n) => n * step)
    const wrong = places.filter((at) => split([whole.subarray(0, at), whole.subarray(at)]) !== expected)
    expect(wrong).toEqual([])
  })
})

it.each([formats.openaiChat, formats.responses, formats.anthropic])(
  "finds a part that differs: $name",
  async (format) => {
    const [, ofFormat] = samples.find(([each]) => each === format) ?? []
    const text = ofFormat?.find(({ name }) => name === "text")?.text ?? ""
    const [one, other] = [text, text.replace("Hello", "Hallo")].map((each) => new TextEncoder().encode(each))
    if (one === undefined || other === undefined) throw new Error("no text")
    expect(await byOurs(format, [other])).not.toEqual({ ...(await byPackage(format, [one])), takeovers: 0 })
  },
)

function pieces(whole: Uint8Array): Chunks {
  const size = Math.ceil(whole.length / MAX_SINGLE_BYTES)
  return Array.from({ length: Math.ceil(whole.length / size) }, (_, n) => whole.subarray(n * size, (n + 1) * size))
}

function split(chunks: readonly Uint8Array[]): string {
  const splitter = new EventSplitter()
  return JSON.stringify(chunks.flatMap((chunk) => splitter.push(chunk)))
}

/** The same places in each run. */
function seededCuts(length: number): number[] {
  let state = length
  return Array.from({ length: SEEDED_CUTS }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state % (length + 1)
  })
}
