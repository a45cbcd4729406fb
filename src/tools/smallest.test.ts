import { describe, expect, it } from "vitest"
import { Smallest } from "./smallest.ts"

describe("the smallest of many", () => {
  it("are the first in order, independent of the order of arrival", () => {
    const smallest = new Smallest<number>(3, (item) => String(item))
    for (let count = 0; count < 900; count++) smallest.add(100 + ((count * 7919) % 900))
    expect(smallest.sorted()).toEqual([100, 101, 102])
    expect(smallest.total).toBe(900)
  })
})
