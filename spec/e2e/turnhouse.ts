// Creates the home and folder of a test, and removes them with all processes when the test ends.
import { afterAll, beforeAll, type TestContext } from "vitest"
import { Place } from "./place.ts"

export { idOf, openInput, Place, program } from "./place.ts"

/** For one test, which may run beside others. */
export function newPlace(test: Pick<TestContext, "onTestFinished">): Place {
  const place = new Place().open()
  test.onTestFinished(() => place.close())
  return place
}

/** For all tests of a file or a describe. Nothing is on disk before the first of them runs: it may be that none does. */
export function sharedPlace(options: { readonly bare?: boolean } = {}): Place {
  const place = new Place()
  beforeAll(() => void place.open(options))
  afterAll(() => place.close())
  return place
}
