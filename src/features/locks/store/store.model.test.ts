import fc from "fast-check"
import { it } from "vitest"
import { walks, walkThrough } from "../fixtures/lock-table-model.ts"

it("the book answers as a model of it does, whatever happens", { timeout: 60_000 }, () => {
  fc.assert(fc.property(walks, walkThrough), { numRuns: 100 })
})
