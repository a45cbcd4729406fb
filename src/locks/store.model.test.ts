import fc from "fast-check"
import { it } from "vitest"
import { walks, walkThrough } from "./fixtures/book-model.ts"

it("the book answers as a model of it does, whatever happens", { timeout: 60_000 }, () => {
  fc.assert(fc.property(walks, walkThrough), { numRuns: 100 })
})
