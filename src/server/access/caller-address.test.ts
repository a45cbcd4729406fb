import { describe, expect, it } from "vitest"
import { callerAddress } from "./caller-address.ts"

function from(address: string, forwarded?: string) {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded }
  return { method: "GET", path: "/ws", query: new URLSearchParams(), headers, address }
}

describe("callerAddress", () => {
  it("is the peer's address without a proxy, whatever the header says", () => {
    expect(callerAddress(from("203.0.113.7", "198.51.100.1"), false)).toBe("203.0.113.7")
    expect(callerAddress(from("::ffff:203.0.113.7"), false)).toBe("203.0.113.7")
  })

  it("is the last forwarded address behind a proxy", () => {
    expect(callerAddress(from("127.0.0.1", "6.6.6.6, 198.51.100.1"), true)).toBe("198.51.100.1")
    expect(callerAddress(from("127.0.0.1"), true)).toBe("127.0.0.1")
    expect(callerAddress(from("127.0.0.1", " , "), true)).toBe("127.0.0.1")
    expect(callerAddress(from("127.0.0.1", "198.51.100.1:50123"), true)).toBe("198.51.100.1")
    expect(callerAddress(from("127.0.0.1", "[2001:db8:1:2::9]:50123"), true)).toBe("2001:db8:1:2::")
    expect(callerAddress(from("127.0.0.1", "x".repeat(10_000)), true).length).toBeLessThan(50)
  })

  it("is the /64 network of an IPv6 address", () => {
    expect(callerAddress(from("2001:db8:1:2:3:4:5:6"), false)).toBe("2001:db8:1:2::")
    expect(callerAddress(from("2001:db8:1:2::9"), false)).toBe("2001:db8:1:2::")
    expect(callerAddress(from("2001:DB8::1"), false)).toBe("2001:db8:0:0::")
    expect(callerAddress(from("::1"), false)).toBe("0:0:0:0::")
  })
})
