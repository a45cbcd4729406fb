// The memory of a child at turn 300 against turn 50, as a parent sees it.
import { describe, expect, it } from "vitest"
import { sharedChild } from "./children.ts"
import { memoryOf } from "./process-figures.ts"

describe("a long-running child", () => {
  const child = sharedChild()

  it("takes at turn 300 at most 10 % more memory than at turn 50", async () => {
    await child.useScript(Array.from({ length: 300 }, () => [{ chunks: ["a", "b"] }]))
    const memory: number[] = []
    for (let turn = 1; turn <= 300; turn++) {
      await child.turn("go")
      memory.push(memoryOf(child.wire.pid))
    }
    // The mean of ten turns: a single figure depends on when garbage was collected last.
    const around = (turn: number) => memory.slice(turn - 10, turn).reduce((sum, kilobytes) => sum + kilobytes) / 10
    expect(around(300) / around(50)).toBeLessThanOrEqual(1.1)
  })
})
