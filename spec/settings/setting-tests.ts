// Runs a table of tests, one for each setting. every-key.test.ts checks that no key of the schema is without one.
import { afterEach, describe, expect, it, vi, type TestContext } from "vitest"
import { World } from "./world.ts"

export type Test = Pick<TestContext, "onTestFinished">
/** Changes the setting and expects different behaviour. */
export type SettingTest = (world: World, test: Test) => Promise<void>
export type SettingTests = Readonly<Record<string, SettingTest>>

export function testSettings(tests: SettingTests): void {
  describe("changing a setting changes what happens", () => {
    afterEach(() => void vi.unstubAllEnvs())
    it.for(Object.entries(tests))("%s", async ([, observe], test) => {
      expect.hasAssertions()
      await observe(new World(test), test)
    })
  })
}
