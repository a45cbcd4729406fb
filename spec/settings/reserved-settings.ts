// Settings whose feature does not exist yet: with one of them nothing starts.
import { expect } from "vitest"
import type { SettingTests } from "./setting-tests.ts"

export const reservedSettings: SettingTests = {
  "events.wake": async (world) => {
    expect(await world.loads({ events: { wake: ["mail"] } })).toContain("events cannot start turns yet")
  },
}
