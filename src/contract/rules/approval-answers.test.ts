import { describe, expect, it } from "vitest"
import {
  flagFor,
  policyPrincipal,
  principalName,
  rememberedCall,
  typedAnswer,
  uncoveredCauses,
  usedFlags,
} from "./approval-answers.ts"
import { AskCause, PolicyFlag } from "../values.ts"

describe("flags that answer in place of a person", () => {
  it("cover the preset with --yes, and nothing else with it", () => {
    expect(uncoveredCauses(["--yes"], AskCause.options)).toEqual(AskCause.options.filter((cause) => cause !== "preset"))
  })

  it("never cover an unknown outcome", () => {
    expect(uncoveredCauses(PolicyFlag.options, AskCause.options)).toEqual(["unsettled"])
    expect(flagFor("unsettled", "bash")).toBeUndefined()
  })

  it("are named for every cause that they cover", () => {
    for (const cause of AskCause.options) {
      const flag = PolicyFlag.options.find((name) => flagFor(cause, "bash")?.startsWith(name) === true)
      expect(flag === undefined ? [cause] : uncoveredCauses([flag], [cause])).toEqual(
        cause === "unsettled" ? [cause] : [],
      )
    }
  })

  it("are stored only if they were needed", () => {
    expect(usedFlags(PolicyFlag.options, ["untrusted"])).toEqual(["--allow-untrusted"])
    expect(usedFlags(["--yes", "--allow-tool"], ["preset"])).toEqual(["--yes"])
    expect(usedFlags(["--yes", "--allow-untrusted"], ["preset", "untrusted"])).toEqual(["--yes", "--allow-untrusted"])
  })

  it("are shown as policy, unlike a user's name", () => {
    expect(principalName(policyPrincipal(["--yes", "--allow-untrusted"]))).toBe("policy (--yes --allow-untrusted)")
    expect(principalName("root")).toBe("root")
  })
})

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
    expect(typedAnswer(text)).toEqual({ command, idPrefix: which })
  })

  it.each(["", " ", "yes please", "yep", "y n", "/approve a b", "/approver", "no, do it differently", "y".repeat(200)])(
    "%j is not: it is a prompt",
    (text) => {
      expect(typedAnswer(text)).toBeUndefined()
    },
  )

  it("remembers exactly the call that was shown, and none whose argument would match others", () => {
    expect(rememberedCall("bash", { command: "ls -l" })).toEqual({ pattern: "ls -l", scope: "session" })
    expect(rememberedCall("bash", { command: "rm *.txt" })).toBeUndefined()
    const pattern = '{"path":"x","amount":1}'
    expect(rememberedCall("pay_out", { path: "x", amount: 1 })).toEqual({ pattern, scope: "session" })
  })
})
