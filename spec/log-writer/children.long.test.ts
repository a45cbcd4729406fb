import { expect, it } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"
import { startAtOnce } from "./children.ts"

it("turnhouse rpc gets ready in each of 100 children that start at once in a new home", async (test) => {
  expect(await startAtOnce(newPlace(test), 100)).toEqual(Array.from({ length: 100 }, () => 0))
})
