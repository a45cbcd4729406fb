import { describe, expect, it } from "vitest"
import { matchesOrigin } from "./origin-pattern.ts"

describe("an origin", () => {
  it.each([
    ["https://shop.example", "https://shop.example"],
    ["https://Shop.Example", "https://shop.example"],
    ["https://shop.example:8443", "https://shop.example:8443"],
    ["https://*.shop.example", "https://shop.example"],
    ["https://*.shop.example", "https://a.b.shop.example"],
    ["*", "https://wherever.example"],
  ])("%s matches %s", (pattern, origin) => {
    expect(matchesOrigin(pattern, origin)).toBe(true)
  })

  it.each([
    ["https://shop.example", "http://shop.example"],
    ["https://shop.example", "https://shop.example:8443"],
    ["https://shop.example", "https://shop.example.evil"],
    ["https://*.shop.example", "http://a.shop.example"],
    ["https://*.shop.example", "https://evilshop.example"],
    ["https://*.shop.example", "https://shop.example.evil"],
    ["https://*.shop.example", "https://evil/.shop.example"],
    ["https://*.shop.example", "https://evil.example#.shop.example"],
    ["https://*.shop.example", "https://evil@a.shop.example"],
    ["https://sho?.example", "https://shop.example"],
    ["*", "null"],
    ["null", "null"],
    ["*", ""],
    ["", ""],
  ])("%s does not match %s", (pattern, origin) => {
    expect(matchesOrigin(pattern, origin)).toBe(false)
  })
})
