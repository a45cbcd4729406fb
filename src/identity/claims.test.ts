// Claims of tokens that count: what they make of somebody. Signatures are another matter.
import { describe, expect, it } from "vitest"
import { principalIn } from "./claims.ts"

const ada = { sub: "ada", org: "engines", role: "admin" }

describe("the organisation in a token", () => {
  it("is the public one where none is named", () => {
    for (const org of [undefined, null, ""]) expect(principalIn({ ...ada, org })).toMatchObject({ org: "public" })
    expect(principalIn({ ...ada, org: undefined, org_id: "engines" })).toMatchObject({ org: "engines" })
  })

  it.each([
    ["a list", ["engines"]],
    ["an object", { id: "engines" }],
    ["too long", "e".repeat(1001)],
    ["a blank", " "],
  ])("makes nobody of whoever has one that cannot be read: %s", (_, org) => {
    expect(principalIn({ ...ada, org })).toBeUndefined()
    expect(principalIn({ ...ada, org, org_id: "others" })).toBeUndefined()
  })

  it("is never this machine's own", () => {
    for (const org of ["local", " local "]) expect(principalIn({ ...ada, org })).toBeUndefined()
  })
})

describe("the e-mail address in a token", () => {
  const emailOf = (email: unknown, more = {}) => principalIn({ ...ada, email, ...more })?.email

  it("is the same in both cases, within ASCII", () => {
    expect(emailOf(" Jack@EXAMPLE.com ")).toBe("jack@example.com")
    expect(emailOf("jac\u212a@example.com")).not.toBe("jack@example.com")
  })

  it("is none where it is not an address, or was never confirmed", () => {
    for (const email of [
      7,
      "jack",
      "a@b@c",
      "signed:shop:jack",
      "signed:shop:jack@example.com",
      "ja\u0000ck@example.com",
    ])
      expect(emailOf(email)).toBe("")
    expect(emailOf("jack@example.com", { email_verified: false })).toBe("")
  })
})

describe("names in a token", () => {
  it("cannot be those under which answers by flags are stored", () => {
    for (const sub of ["policy:--yes", "Policy:--allow-tool bash"]) expect(principalIn({ ...ada, sub })).toBeUndefined()
  })

  it("have no control characters", () => {
    expect(principalIn({ ...ada, sub: "a\u0000da" })).toBeUndefined()
    expect(principalIn({ ...ada, groups: ["one", "t\nwo"] })).toMatchObject({ groups: ["one"] })
  })
})
