import { describe, expect, it } from "vitest"
import { Smallest } from "./smallest.ts"

describe("the smallest of many", () => {
  it("are the first in order, independent of the order of arrival", () => {
    const smallest = new Smallest(3)
    for (let count = 0; count < 900; count++) smallest.add(String(100 + ((count * 7919) % 900)))
    expect(smallest.sorted()).toEqual(["100", "101", "102"])
    expect(smallest.total).toBe(900)
  })
})
