import { describe, expect, it } from "vitest"
import { houseVersions, isSpoken, notSpoken } from "./versions.ts"

describe("versions of the house wire", () => {
  it("are at most two: the newest and the previous one", () => {
    expect(houseVersions.length).toBeLessThanOrEqual(2)
    expect(houseVersions).toEqual(houseVersions.toSorted((one, other) => other - one))
  })

  it("are listed in the refusal of an unknown one", () => {
    expect(isSpoken(2, [3, 2])).toBe(true)
    expect(isSpoken(1, [3, 2])).toBe(false)
    expect(notSpoken(1, [3, 2])).toBe("this host speaks versions 3 and 2 of the house wire, not 1")
    expect(notSpoken(99, [1])).toBe("this host speaks version 1 of the house wire, not 99")
  })
})
