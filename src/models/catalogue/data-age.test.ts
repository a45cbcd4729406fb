import { describe, expect, it } from "vitest"
import { dataAge } from "./data-age.ts"

describe("the age of the data about models", () => {
  const bundledData = { source: "release", date: "2026-11-02" }

  it("is that of the newest data", () => {
    const now = new Date("2026-11-16T12:00:00Z")
    expect(dataAge({ bundledData, fetchedData: undefined }, now)).toEqual({
      date: "2026-11-02",
      days: 14,
      isOld: false,
    })
    const fetchedData = { source: "x", date: "2026-11-15T08:00:00Z" }
    expect(dataAge({ bundledData, fetchedData }, now)).toMatchObject({ date: "2026-11-15", days: 1 })
    expect(dataAge({ bundledData, fetchedData: { source: "x", date: "2026-01-01" } }, now).date).toBe("2026-11-02")
  })

  it("is too much after 60 days", () => {
    const at = (date: string) => dataAge({ bundledData, fetchedData: undefined }, new Date(date)).isOld
    expect([at("2027-01-01"), at("2027-01-02")]).toEqual([false, true])
  })

  it("of data from the future is none", () => {
    expect(dataAge({ bundledData, fetchedData: undefined }, new Date("2026-01-01")).days).toBe(0)
  })
})
