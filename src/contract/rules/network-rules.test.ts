import { describe, expect, it } from "vitest"
import {
  isAllowedByRules,
  isCoveredByRules,
  isNamedByRules,
  networkRule,
  parseDestination,
  ruleFor,
} from "./network-rules.ts"

describe("a destination", () => {
  it.for([
    ["example.com:443", { host: "example.com", port: 443 }],
    ["EXAMPLE.com.:8080", { host: "example.com", port: 8080 }],
    ["[::1]:80", { host: "::1", port: 80 }],
    ["[0:0:0:0:0:0:0:1]:80", { host: "::1", port: 80 }],
    ["2130706433:80", { host: "127.0.0.1", port: 80 }],
    ["0x7f.1:443", { host: "127.0.0.1", port: 443 }],
    ["bücher.example:443", { host: "xn--bcher-kva.example", port: 443 }],
  ] as const)("%s is read as %o", ([text, destination]) => {
    expect(parseDestination(text)).toEqual(destination)
  })

  it.for([
    "example.com",
    "",
    ":443",
    "a b:443",
    "user@example.com:443",
    "example.com:443/path",
    "example.com:99999",
    "example.com:0",
    "[::1:80",
    "exa\nmple.com:80",
  ])("%o is refused", (text) => {
    expect(parseDestination(text)).toBeUndefined()
  })
})

describe("a rule", () => {
  it.for([
    ["example.com", "example.com:443", true],
    ["example.com", "example.com:80", true],
    ["Example.COM", "example.com:443", true],
    ["example.com", "example.com:22", false],
    ["example.com", "www.example.com:443", false],
    ["example.com", "notexample.com:443", false],
    ["example.com", "example.com.evil.net:443", false],
    ["example.com:22", "example.com:22", true],
    ["example.com:22", "example.com:443", false],
    ["*.example.com", "www.example.com:443", true],
    ["*.example.com", "a.b.example.com:443", true],
    ["*.example.com", "example.com:443", false],
    ["*.example.com", "evilexample.com:443", false],
    ["*", "anything.net:443", true],
    ["*", "anything.net:25", false],
    ["127.0.0.1:8080", "2130706433:8080", true],
    ["[::1]:8080", "[0:0::1]:8080", true],
  ] as const)("%s allows %s: %s", ([rule, text, isAllowed]) => {
    const destination = parseDestination(text)
    expect(destination !== undefined && isAllowedByRules([rule], destination)).toBe(isAllowed)
  })

  it("with a wildcard names no host itself", () => {
    const destination = { host: "10.0.0.1", port: 80 }
    expect(isNamedByRules(["*", "*.0.1"], destination)).toBe(false)
    expect(isNamedByRules(["*", "10.0.0.1"], destination)).toBe(true)
  })

  it.for([
    [{ host: "example.com", port: 443 }, "example.com"],
    [{ host: "example.com", port: 8443 }, "example.com:8443"],
    [{ host: "2001:db8::1", port: 22 }, "[2001:db8::1]:22"],
  ] as const)("for %o is %s, allows it, and is valid", ([destination, rule]) => {
    expect(ruleFor(destination)).toBe(rule)
    expect(isAllowedByRules([rule], destination)).toBe(true)
    expect(networkRule.test(rule)).toBe(true)
  })

  it.for([
    ["a.example.com", ["*.example.com"], true],
    ["*.a.example.com", ["*.example.com"], true],
    ["*.example.com", ["a.example.com"], false],
    ["*", ["*.example.com"], false],
    ["a.example.com", ["*"], true],
    ["a.example.com:443", ["a.example.com"], true],
    ["a.example.com:22", ["a.example.com"], false],
    ["a.example.com", ["a.example.com:443"], false],
  ] as const)("%s is covered by %o: %s", ([rule, others, isCovered]) => {
    expect(isCoveredByRules(rule, others)).toBe(isCovered)
  })

  it.for([
    "",
    "https://example.com",
    "example.com/path",
    "exa mple.com",
    "*example.com",
    "a.*.com",
    "example.com:",
    "::1",
  ])("%o is not valid", (rule) => {
    expect(networkRule.test(rule)).toBe(false)
  })
})
