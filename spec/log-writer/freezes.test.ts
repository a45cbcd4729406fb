import { expect, it } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"
import { freeze } from "./freezes.ts"

it("10 freezes, half of them of the log writer, stop no other process and lose nothing", async (test) => {
  expect(await freeze(newPlace(test), { rounds: 10, commandEvery: 5 })).toBeGreaterThan(0)
})
