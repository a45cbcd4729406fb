// The memory of a child at turn 2,000 against turn 1,000, as a parent sees it. Before, heap and compiled code still grow.
import { describe, expect, it } from "vitest"
import { sharedChild } from "./children.ts"
import { memoryOf } from "./process-figures.ts"

describe("a long-running child", () => {
  const child = sharedChild()

  it("takes at turn 2,000 at most 10 % more memory than at turn 1,000", async () => {
    await child.useScript(Array.from({ length: 2000 }, () => [{ chunks: ["a", "b"] }]))
    const memory: number[] = []
    for (let turn = 1; turn <= 2000; turn++) {
      await child.turn("go")
      memory.push(memoryOf(child.wire.pid))
    }
    // The mean of ten turns: a single figure depends on when garbage was collected last.
    const around = (turn: number) => memory.slice(turn - 10, turn).reduce((sum, kilobytes) => sum + kilobytes) / 10
    expect(around(2000) / around(1000)).toBeLessThanOrEqual(1.1)
  })
})
