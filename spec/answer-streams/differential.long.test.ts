// As differential.test.ts, with the whole call at each cut: every byte of short streams, that many places of longer ones.
import { describe, expect, it } from "vitest"
import { byOurs, byPackage } from "./compare.ts"
import { samples } from "./samples.ts"

const MAX_CUTS = 300

describe.each(samples)("$name", (format, ofFormat) => {
  it.each(ofFormat)("gives the same parts wherever the bytes are cut: $name", async ({ text, takeovers = 0 }) => {
    const whole = new TextEncoder().encode(text)
    const expected = { ...(await byPackage(format, [whole])), takeovers }
    const step = Math.ceil(whole.length / MAX_CUTS)
    for (let at = 0; at < whole.length; at += step) {
      const heard = await byOurs(format, [whole.subarray(0, at), whole.subarray(at)])
      expect(heard, `cut at ${at}`).toEqual(expected)
    }
  })
})
