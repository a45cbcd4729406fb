import fc from "fast-check"
import { it } from "vitest"
import { commandSequences, runCommands } from "../fixtures/lock-table-model.ts"

it("gives the model's answers for random requests, crashes and clock changes", { timeout: 60_000 }, () => {
  fc.assert(fc.property(commandSequences, runCommands), { numRuns: 100 })
})
