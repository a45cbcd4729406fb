// How the claims of a token become a principal. Signatures are tested in token-check.test.ts.
import { describe, expect, it } from "vitest"
import { principalFromClaims } from "./claims.ts"

const ada = { sub: "ada", org: "engines", role: "admin" }

describe("the organisation in a token", () => {
  it("is the public one if the token names none", () => {
    for (const org of [undefined, null, ""])
      expect(principalFromClaims({ ...ada, org })).toMatchObject({ org: "public" })
    expect(principalFromClaims({ ...ada, org: undefined, org_id: "engines" })).toMatchObject({ org: "engines" })
  })

  it.each([
    ["a list", ["engines"]],
    ["an object", { id: "engines" }],
    ["too long", "e".repeat(1001)],
    ["a blank", " "],
  ])("invalidates the token if it cannot be read: %s", (_, org) => {
    expect(principalFromClaims({ ...ada, org })).toBeUndefined()
    expect(principalFromClaims({ ...ada, org, org_id: "others" })).toBeUndefined()
  })

  it("is never the local one", () => {
    for (const org of ["local", " local "]) expect(principalFromClaims({ ...ada, org })).toBeUndefined()
  })
})

describe("the e-mail address in a token", () => {
  const emailOf = (email: unknown, more = {}) => principalFromClaims({ ...ada, email, ...more })?.email

  it("is lowered within ASCII only", () => {
    expect(emailOf(" Jack@EXAMPLE.com ")).toBe("jack@example.com")
    expect(emailOf("jac\u212a@example.com")).not.toBe("jack@example.com")
  })

  it("is empty if it is not an address or was not verified", () => {
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
  it("cannot be the reserved ones under which answers by flags are stored", () => {
    for (const sub of ["policy:--yes", "Policy:--allow-tool bash"])
      expect(principalFromClaims({ ...ada, sub })).toBeUndefined()
  })

  it("are refused with control characters", () => {
    expect(principalFromClaims({ ...ada, sub: "a\u0000da" })).toBeUndefined()
    expect(principalFromClaims({ ...ada, groups: ["one", "t\nwo"] })).toMatchObject({ groups: ["one"] })
  })
})
