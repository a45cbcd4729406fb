import { describe, expect, it } from "vitest"
import { rememberedCall, typedAnswer } from "./typed-answer.ts"

describe("a typed answer to a request for approval", () => {
  it.each([
    ["y", "approve", undefined],
    [" Yes \r\n", "approve", undefined],
    ["n", "deny", undefined],
    ["NO", "deny", undefined],
    ["always", "always", undefined],
    ["/approve", "approve", undefined],
    ["/approve apr_12", "approve", "apr_12"],
    ["/deny 12", "deny", "12"],
    ["/always apr_12", "always", "apr_12"],
  ])("%j is one", (text, command, which) => {
    expect(typedAnswer(text)).toEqual({ command, which })
  })

  it.each(["", " ", "yes please", "yep", "y n", "/approve a b", "/approver", "no, do it differently", "y".repeat(200)])(
    "%j is not: it is a prompt",
    (text) => {
      expect(typedAnswer(text)).toBeUndefined()
    },
  )

  it("remembers exactly the call that was shown, and none whose argument could stand for others", () => {
    expect(rememberedCall("bash", { command: "ls -l" })).toEqual({ pattern: "ls -l", scope: "session" })
    expect(rememberedCall("bash", { command: "rm *.txt" })).toBeUndefined()
    const pattern = '{"path":"x","amount":1}'
    expect(rememberedCall("pay_out", { path: "x", amount: 1 })).toEqual({ pattern, scope: "session" })
  })
})
