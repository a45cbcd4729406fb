import { expect, it } from "vitest"
import { shownCall } from "./approval-choices.ts"

it("shows the change of a file with the arguments of the agent, and not with those that a person wrote instead", () => {
  const changes = [{ path: "a.txt", added: 1, removed: 0, lines: [{ sign: "+" as const, at: 1, text: "one" }] }]
  const input = { path: "a.txt", content: "one\n" }
  const request = {
    approvalId: "apr_1",
    sessionId: "s",
    callId: "cal_1",
    tool: "write",
    input,
    reason: "",
    changes,
    seq: 1,
    at: 0,
  } as const
  expect(shownCall(request, undefined)).toEqual({ tool: "write", input, changes })
  const edited = { path: "a.txt", content: "two\n" }
  expect(shownCall(request, edited)).toEqual({ tool: "write", input: edited })
})
