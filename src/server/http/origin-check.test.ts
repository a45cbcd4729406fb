import { describe, expect, it } from "vitest"
import { trouble, type Guests } from "./origin-check.ts"
import { isLoopbackAddress } from "./loopback.ts"

describe("an address of this machine alone", () => {
  it.each(["127.0.0.1", "127.8.7.6", "localhost", "LOCALHOST", "::1", "[::1]"])("is %s", (host) => {
    expect(isLoopbackAddress(host)).toBe(true)
  })

  it.each(["0.0.0.0", "::", "192.168.1.2", "example.org", "localhost.example.org", "127.0.0.1.example.org", ""])(
    "is not %j",
    (host) => {
      expect(isLoopbackAddress(host)).toBe(false)
    },
  )
})

const shop = "https://shop.example"
const here: Guests = { isLocal: true, names: undefined, mayCome: (origin) => origin === shop }

describe("a request to a server of this machine", () => {
  it.each(["localhost", "localhost:8787", "127.0.0.1:8787", "[::1]:8787", "shop.localhost:8787"])(
    "may come in under the name %s",
    (host) => {
      expect(trouble({ host }, here)).toBeUndefined()
    },
  )

  it.each([
    undefined,
    "",
    "evil.example",
    "evil.example:8787",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "192.168.1.2",
  ])("may not come in under the name %s, which somebody else has given to this machine", (host) => {
    expect(trouble({ host }, here)).toContain("name")
  })

  it.each(["http://localhost:3000", "https://127.0.0.1", "http://[::1]:80", shop])(
    "may come from a page of %s",
    (origin) => {
      expect(trouble({ host: "localhost", origin }, here)).toBeUndefined()
    },
  )

  it.each(["null", "", "https://evil.example", "http://shop.example", "https://shop.example.evil", "file://localhost"])(
    "may not come from a page of %j",
    (origin) => {
      expect(trouble({ host: "localhost", origin }, here)).toContain("origin")
    },
  )
})

describe("a request to a server that others can reach", () => {
  const named: Guests = { ...here, isLocal: false, names: ["house.example"] }

  it("may come in under any name where none was given, and else under its own, or an address in numbers", () => {
    expect(trouble({ host: "whatever.example" }, { ...named, names: undefined })).toBeUndefined()
    for (const host of ["house.example", "HOUSE.example:443", "203.0.113.7:8787", "[2001:db8::1]:80", "localhost:8787"])
      expect(trouble({ host }, named)).toBeUndefined()
    for (const host of ["evil.example", "house.example.evil", "203.0.113.7.evil"])
      expect(trouble({ host }, named)).toContain("name")
  })

  it("may come from its own pages and those that were invited, and not from pages of the caller's own machine", () => {
    const host = "house.example:8787"
    for (const origin of ["https://house.example:8787", shop]) expect(trouble({ host, origin }, named)).toBeUndefined()
    for (const origin of ["http://localhost:3000", "https://house.example", "https://evil.example:8787", "null"])
      expect(trouble({ host, origin }, named)).toContain("origin")
  })

  it("has no own pages under a name that anybody may have given it", () => {
    const [host, origin] = ["evil.example", "http://evil.example"]
    expect(trouble({ host, origin }, { ...named, names: undefined })).toContain("origin")
  })

  it("never comes from a page of nobody, whoever is invited", () => {
    const everybody = { ...named, mayCome: () => true }
    expect(trouble({ host: "house.example", origin: "null" }, everybody)).toContain("origin")
  })
})
