import { expect, it } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"
import { startAtOnce } from "./children.ts"

it("each of 100 rpc children that start at once in a new home becomes ready", async (test) => {
  expect(await startAtOnce(newPlace(test), 100)).toEqual(Array.from({ length: 100 }, () => 0))
})
