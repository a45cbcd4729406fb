import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../contract/values.ts"
import type { PendingRequest } from "../../app/sessions/approvals.ts"
import { checkRemember, rememberOf } from "./remember.ts"

const nothing = { scope: undefined, pattern: undefined, deny: false }

function request(input: JsonValue, audience: "driver" | "approver" = "driver"): PendingRequest {
  const sessionId = "01890000-0000-7000-8000-000000000001"
  const row = { sessionId, createdAt: 1, updatedAt: 1, seq: 1, owner: undefined, summary: null }
  return {
    row,
    request: {
      type: "approval.requested",
      approvalId: "apr_1",
      callId: "cal_1",
      tool: "bash",
      digest: "d",
      reason: "r",
      audience,
    },
    askedAt: 1,
    input,
  }
}

describe("what --for remembers", () => {
  it("is nothing without --for", () => {
    expect(rememberOf(nothing, request({ command: "make" }))).toBeUndefined()
  })

  it("is the exact argument by default", () => {
    const options = { ...nothing, scope: "session" }
    expect(rememberOf(options, request({ command: "make" }))).toEqual({ scope: "session", pattern: "make" })
  })

  it("is the pattern, if it matches this call", () => {
    const options = { ...nothing, scope: "folder", pattern: "make *" }
    expect(rememberOf(options, request({ command: "make all" }))).toEqual({ scope: "folder", pattern: "make *" })
    expect(() => rememberOf(options, request({ command: "rm -r ." }))).toThrow("does not match this call: rm -r .")
  })

  it("needs a pattern if the argument contains a star", () => {
    const options = { ...nothing, scope: "session" }
    expect(() => rememberOf(options, request({ command: "rm *.o" }))).toThrow("--pattern")
  })

  it("is refused for a tool that the configuration requires approval for", () => {
    const options = { ...nothing, scope: "session" }
    expect(() => rememberOf(options, request({ command: "make" }, "approver"))).toThrow(
      "requires approval for every call",
    )
  })
})

describe("the options", () => {
  it.for([
    [{ ...nothing, pattern: "x" }, "--pattern needs --for"],
    [{ ...nothing, scope: "ever" }, "'session' or 'folder'"],
    [{ ...nothing, scope: "session", deny: true }, "cannot be combined with --deny"],
  ] as const)("%o are refused", ([options, why]) => {
    expect(() => checkRemember(options)).toThrow(why)
  })

  it("may be absent or complete", () => {
    expect(() => checkRemember(nothing)).not.toThrow()
    expect(() => checkRemember({ ...nothing, scope: "folder", pattern: "*" })).not.toThrow()
  })
})
