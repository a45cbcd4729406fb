import { describe, expect, it } from "vitest"
import { homeTag, parseLimits, toolLimitOf } from "./tool-limit.ts"

const limitsOf = (hard: string) =>
  `Limit   Soft Limit   Hard Limit   Units\nMax file locks            ${hard}  ${hard}   locks\n`

describe("the limit that marks a tool's processes", () => {
  it("is at level 0 if none was set", () => {
    expect(parseLimits(limitsOf("unlimited"))).toEqual({ level: 0, tag: 0 })
    expect(parseLimits("")).toEqual({ level: 0, tag: 0 })
  })

  it("names the level and the home", () => {
    const first = (2 ** 20 - 1) * 2 ** 32
    expect(parseLimits(limitsOf(String(first + 77)))).toEqual({ level: 1, tag: 77 })
    expect(parseLimits(limitsOf(String(first - 2 ** 32 + 5)))).toEqual({ level: 2, tag: 5 })
  })

  it("is deeper when a process lowers it further", () => {
    expect(parseLimits(limitsOf("0")).level).toBeGreaterThan(1)
  })

  it("is unknown for a process that does not exist", () => {
    expect(toolLimitOf(2 ** 30)).toBeUndefined()
  })

  it("has one tag for one home", () => {
    expect(homeTag("/tmp")).toBe(homeTag("/tmp/../tmp"))
    expect(homeTag("/tmp")).not.toBe(homeTag("/usr"))
  })
})
