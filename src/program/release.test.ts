import { describe, expect, it } from "vitest"
import { isNewer } from "./release.ts"

describe("a release", () => {
  it.each([
    ["0.2.0", "0.1.9", true],
    ["0.1.10", "0.1.9", true],
    ["1.0.0", "0.9.9", true],
    ["0.1.0", "0.1.0", false],
    ["0.1.0", "0.2.0", false],
    ["0.1.0", "1.0.0", false],
    ["0.1.0", undefined, true],
    ["0.1.0", "unknown", true],
    ["0.1.0-beta", "0.1.0", false],
  ])("%s is newer than %s: %s", (one, other, expected) => {
    expect(isNewer(one, other)).toBe(expected)
  })
})
