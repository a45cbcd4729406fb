import { describe, expect, it } from "vitest"
import { originProblem, type OriginRules } from "./origin-check.ts"
import { isLoopbackAddress } from "./loopback.ts"

describe("isLoopbackAddress", () => {
  it.each(["127.0.0.1", "127.8.7.6", "localhost", "LOCALHOST", "::1", "[::1]"])("accepts %s", (host) => {
    expect(isLoopbackAddress(host)).toBe(true)
  })

  it.each(["0.0.0.0", "::", "192.168.1.2", "example.org", "localhost.example.org", "127.0.0.1.example.org", ""])(
    "refuses %j",
    (host) => {
      expect(isLoopbackAddress(host)).toBe(false)
    },
  )
})

const shop = "https://shop.example"
const here: OriginRules = { isLocal: true, names: undefined, allowsOrigin: (origin) => origin === shop }

describe("originProblem on a local server", () => {
  it.each(["localhost", "localhost:8787", "127.0.0.1:8787", "[::1]:8787", "shop.localhost:8787"])(
    "accepts the host name %s",
    (host) => {
      expect(originProblem({ host }, here)).toBeUndefined()
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
  ])("refuses the host name %s", (host) => {
    expect(originProblem({ host }, here)).toContain("name")
  })

  it.each(["http://localhost:3000", "https://127.0.0.1", "http://[::1]:80", shop])(
    "accepts the origin %s",
    (origin) => {
      expect(originProblem({ host: "localhost", origin }, here)).toBeUndefined()
    },
  )

  it.each(["null", "", "https://evil.example", "http://shop.example", "https://shop.example.evil", "file://localhost"])(
    "refuses the origin %j",
    (origin) => {
      expect(originProblem({ host: "localhost", origin }, here)).toContain("origin")
    },
  )
})

describe("originProblem on a public server", () => {
  const named: OriginRules = { ...here, isLocal: false, names: ["house.example"] }

  it("accepts any host name if none is configured, otherwise its own names and numeric addresses", () => {
    expect(originProblem({ host: "whatever.example" }, { ...named, names: undefined })).toBeUndefined()
    for (const host of ["house.example", "HOUSE.example:443", "203.0.113.7:8787", "[2001:db8::1]:80", "localhost:8787"])
      expect(originProblem({ host }, named)).toBeUndefined()
    for (const host of ["evil.example", "house.example.evil", "203.0.113.7.evil"])
      expect(originProblem({ host }, named)).toContain("name")
  })

  it("accepts its own pages and allowed origins, and no loopback pages", () => {
    const host = "house.example:8787"
    for (const origin of ["https://house.example:8787", shop])
      expect(originProblem({ host, origin }, named)).toBeUndefined()
    for (const origin of ["http://localhost:3000", "https://house.example", "https://evil.example:8787", "null"])
      expect(originProblem({ host, origin }, named)).toContain("origin")
  })

  it("accepts no own pages if its names are unknown", () => {
    const [host, origin] = ["evil.example", "http://evil.example"]
    expect(originProblem({ host, origin }, { ...named, names: undefined })).toContain("origin")
  })

  it("refuses the origin null", () => {
    const any = { ...named, allowsOrigin: () => true }
    expect(originProblem({ host: "house.example", origin: "null" }, any)).toContain("origin")
  })
})
