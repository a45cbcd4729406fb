import { expect, it } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"
import { freeze } from "./freezes.ts"

const boundMs = 2000

it("200 freezes, half of them of the log writer, block no other process for more than 2 s", async (test) => {
  expect(await freeze(newPlace(test), { rounds: 200, commandEvery: 10 })).toBeLessThan(boundMs)
})
