import { describe, expect, it } from "vitest"
import { newHostedPlace } from "./hosted-place.ts"
import { idleMemory } from "./idle-memory.ts"

describe("a host with 1,000 sessions that were never prompted", () => {
  it("takes under 200 MB, and under 50 kB for each of them", async (test) => {
    const { total, perSession } = await idleMemory(newHostedPlace(test), 50, 1000)
    expect(perSession).toBeLessThan(50)
    expect(total).toBeLessThan(200 * 1000)
  })
})
