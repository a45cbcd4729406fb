import { describe, expect, it } from "vitest"
import { trouble } from "./guard.ts"
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

describe("a request", () => {
  it.each(["localhost", "localhost:8787", "127.0.0.1:8787", "[::1]:8787", "shop.localhost:8787"])(
    "may come in under the name %s",
    (host) => {
      expect(trouble({ host }, [])).toBeUndefined()
    },
  )

  it.each([undefined, "", "evil.example", "evil.example:8787", "localhost.evil.example", "127.0.0.1.evil.example"])(
    "may not come in under the name %s, which somebody else has given to this machine",
    (host) => {
      expect(trouble({ host }, [])).toContain("name")
    },
  )

  it.each(["http://localhost:3000", "https://127.0.0.1", "http://[::1]:80", "https://shop.example"])(
    "may come from a page of %s",
    (origin) => {
      expect(trouble({ host: "localhost", origin }, ["https://shop.example"])).toBeUndefined()
    },
  )

  it.each(["null", "", "https://evil.example", "http://shop.example", "https://shop.example.evil", "file://localhost"])(
    "may not come from a page of %j",
    (origin) => {
      expect(trouble({ host: "localhost", origin }, ["https://shop.example"])).toContain("origin")
    },
  )
})
