import { describe, expect, it } from "vitest"
import { newHostedPlace } from "./hosted-place.ts"
import { idleMemory } from "./idle-memory.ts"

describe("a session that was never prompted", () => {
  it("takes under 50 kB of its host", async (test) => {
    const { total, perSession } = await idleMemory(newHostedPlace(test), 50, 250)
    expect(perSession).toBeLessThan(50)
    expect(total).toBeLessThan(200 * 1024)
  })
})
