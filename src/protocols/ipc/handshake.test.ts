import { describe, expect, it } from "vitest"
import type { Handshake } from "./frames.ts"
import { judgeHandshake } from "./handshake.ts"

const token = "0123456789abcdef".repeat(4)
const welcome = { sessionId: "s1", aliases: ["old-name"], token, takesNew: true }

const judge = (handshake: Partial<Handshake>, takesNew = true) =>
  judgeHandshake({ version: 2, is_reattach: false, ...handshake }, { ...welcome, takesNew })
const accepted = (session_token: string | null) => ({
  accepted: true,
  response: { accepted: true, session_id: "s1", session_token, error: null },
})
const refused = (error: string) => ({
  accepted: false,
  response: { accepted: false, session_id: "", session_token: null, error },
})

describe("a handshake", () => {
  it("of a new viewer is given the token (cases 1 and 2)", () => {
    expect(judge({})).toEqual(accepted(token))
    expect(judge({ version: 1 })).toEqual(accepted(token))
  })

  it("of another version is refused first of all (case 2)", () => {
    for (const version of [0, 3, 4294967295])
      expect(judge({ version, is_reattach: true })).toEqual(
        refused(`Protocol version mismatch: expected 2, got ${version}`),
      )
  })

  it("of a viewer that comes back with the token is accepted without repeating it (case 3)", () => {
    expect(judge({ is_reattach: true, session_id: "s1", session_token: token })).toEqual(accepted(null))
    expect(judge({ is_reattach: true, session_id: "old-name", session_token: token })).toEqual(accepted(null))
    expect(judge({ is_reattach: true, session_token: token }, false)).toEqual(accepted(null))
  })

  it("of a viewer that comes back without a token is refused (case 4)", () => {
    for (const session_token of [undefined, null, ""])
      expect(judge({ is_reattach: true, session_token })).toEqual(refused("Session token required for reattachment"))
  })

  it("with another token is refused, whatever its length (cases 3, 5 and 6)", () => {
    for (const session_token of [`${token}\n`, token.replace("0", "1"), "0", "0".repeat(1024 * 1024), "é".repeat(32)])
      expect(judge({ is_reattach: true, session_token })).toEqual(refused("Invalid session token"))
  })

  it("with the token for another session is refused, and says so only to who has the token (case 7)", () => {
    expect(judge({ is_reattach: true, session_id: "s2", session_token: token })).toEqual(refused("Session mismatch"))
    expect(judge({ is_reattach: true, session_id: "s2", session_token: "x" })).toEqual(refused("Invalid session token"))
  })

  it("of a new viewer is refused where only the first is taken without the token", () => {
    expect(judge({}, false)).toMatchObject({ accepted: false, response: { session_token: null } })
  })
})
