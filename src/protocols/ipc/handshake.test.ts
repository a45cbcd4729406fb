import { describe, expect, it } from "vitest"
import type { Handshake } from "./frames.ts"
import { checkHandshake, isSealedStart, sealingKey } from "./handshake.ts"
import { frameLimits } from "./limits.ts"

const token = "0123456789abcdef".repeat(4)
const policy = { sessionId: "s1", aliases: ["old-name"], token, acceptsNew: true }

const check = (handshake: Partial<Handshake>, acceptsNew = true) =>
  checkHandshake({ version: 2, is_reattach: false, ...handshake }, { ...policy, acceptsNew })
const accepted = (session_token: string | null) => ({
  accepted: true,
  response: { accepted: true, session_id: "s1", session_token, error: null },
})
const refused = (error: string) => ({
  accepted: false,
  response: { accepted: false, session_id: "", session_token: null, error },
})

describe("a handshake", () => {
  it("of a new viewer is accepted with the token (cases 1 and 2)", () => {
    expect(check({})).toEqual(accepted(token))
    expect(check({ version: 1 })).toEqual(accepted(token))
  })

  it("of another version is refused before anything else (case 2)", () => {
    for (const version of [0, 3, 4294967295])
      expect(check({ version, is_reattach: true })).toEqual(
        refused(`Protocol version mismatch: expected 2, got ${version}`),
      )
  })

  it("with the token to reattach is accepted without repeating it (case 3)", () => {
    expect(check({ is_reattach: true, session_id: "s1", session_token: token })).toEqual(accepted(null))
    expect(check({ is_reattach: true, session_id: "old-name", session_token: token })).toEqual(accepted(null))
    expect(check({ is_reattach: true, session_token: token }, false)).toEqual(accepted(null))
  })

  it("to reattach without a token is refused (case 4)", () => {
    for (const session_token of [undefined, null, ""])
      expect(check({ is_reattach: true, session_token })).toEqual(refused("Session token required for reattachment"))
  })

  it("with a wrong token of any length is refused (cases 3, 5 and 6)", () => {
    for (const session_token of [`${token}\n`, token.replace("0", "1"), "0", "0".repeat(1024 * 1024), "é".repeat(32)])
      expect(check({ is_reattach: true, session_token })).toEqual(refused("Invalid session token"))
  })

  it("for another session is refused, with the reason only for holders of the token (case 7)", () => {
    expect(check({ is_reattach: true, session_id: "s2", session_token: token })).toEqual(refused("Session mismatch"))
    expect(check({ is_reattach: true, session_id: "s2", session_token: "x" })).toEqual(refused("Invalid session token"))
  })

  it("of a new viewer is refused when only the first needs no token", () => {
    expect(check({}, false)).toMatchObject({ accepted: false, response: { session_token: null } })
  })
})

it("derives the key from the token", () => {
  expect(sealingKey("0123456789abcdef".repeat(4)).toString("hex")).toBe(
    "41ffe43a0701fdbb75d5f27bdfa99a445399004508f5492873f22b8897168f9e",
  )
})

it("distinguishes a sealed frame from a line by its first byte", () => {
  const longest = Buffer.alloc(4)
  longest.writeUInt32BE(frameLimits.lineBytes)
  expect([0, ...longest.subarray(0, 1)].map(isSealedStart)).toEqual([true, true])
  expect([...Buffer.from("{ \t\r\n")].map(isSealedStart)).not.toContain(true)
})
