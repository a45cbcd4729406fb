import { describe, expect, it } from "vitest"
import { digestCode, destinationOf, isCode, mailboxOf, maskDestination, createCode, provenContact } from "./codes.ts"

const key = new Uint8Array(32).fill(7)

describe("a code", () => {
  it("has six digits, leading zeros included", () => {
    const codes = Array.from({ length: 2000 }, createCode)
    expect(codes.filter((code) => !/^\d{6}$/.test(code))).toEqual([])
    expect(codes.some((code) => code.startsWith("0"))).toBe(true)
    expect(new Set(codes).size).toBeGreaterThan(1900)
  })

  it("matches its digest only for the same verification and key", () => {
    const digest = digestCode(key, "ver_1", "012345")
    expect(isCode(key, "012345", "ver_1", digest)).toBe(true)
    expect(isCode(key, " 012-345 ", "ver_1", digest)).toBe(true)
    expect(isCode(key, "12345", "ver_1", digest)).toBe(false)
    expect(isCode(key, "012346", "ver_1", digest)).toBe(false)
    expect(isCode(key, "012345", "ver_2", digest)).toBe(false)
    expect(isCode(new Uint8Array(32), "012345", "ver_1", digest)).toBe(false)
    expect(isCode(key, digest, "ver_1", digest)).toBe(false)
    for (const given of ["", "\u0000", "\u0660\u0661\u0662\u0663\u0664\u0665", "012345\u0000", "0".repeat(1_000_000)])
      expect(isCode(key, given, "ver_1", digest)).toBe(false)
  })
})

describe("the destination of a code", () => {
  it.each([
    ["jane@example.com", "jane@example.com"],
    [" Jane.Doe+x@EXAMPLE.com ", "Jane.Doe+x@example.com"],
    ["jörg@müller.example", "jörg@müller.example"],
    ["a@b", undefined],
    ["a@b.example,c@d.example", undefined],
    ["a;b@c.example", undefined],
    ["a@b.example\nBcc: c@d.example", undefined],
    ["Jane <jane@example.com>", undefined],
    ['"a b"@c.example', undefined],
    ["a\u0000@b.example", undefined],
    ["a@-b.example", undefined],
    [`${"a".repeat(250)}@b.example`, undefined],
    ["", undefined],
  ])("by mail for %j is %j", (email, address) => {
    expect(destinationOf("email", { email })).toBe(address)
  })

  it("by text message is a normalised phone number", () => {
    expect(destinationOf("sms", { phone: "(415) 555-2671" })).toBe("+14155552671")
    expect(destinationOf("sms", { phone: "12" })).toBeUndefined()
    expect(destinationOf("sms", { email: "jane@example.com" })).toBeUndefined()
    expect(destinationOf("email", { phone: "+14155552671" })).toBeUndefined()
  })

  it("is masked for display", () => {
    expect(maskDestination("email", "jane@example.com")).toBe("j…@example.com")
    expect(maskDestination("email", "😀x@example.com")).toBe("😀…@example.com")
    expect(maskDestination("sms", "+14155552642")).toBe("+1…42")
  })

  it("is what the code proves", () => {
    expect(provenContact("email", "a@b.example")).toEqual({ email: "a@b.example" })
    expect(provenContact("sms", "+14155552671")).toEqual({ phone: "+14155552671" })
  })
})

it.each([
  ["email", "Jane+shop@Example.com", "jane@example.com"],
  ["email", "jane+a+b@example.com", "jane@example.com"],
  ["email", "+x@example.com", "@example.com"],
  ["sms", "+4912345678", "+4912345678"],
] as const)("counts %s %s as the mailbox %s", (channel, destination, mailbox) => {
  expect(mailboxOf(channel, destination)).toBe(mailbox)
})
