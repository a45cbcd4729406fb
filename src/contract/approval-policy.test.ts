import { describe, expect, it } from "vitest"
import { flagFor, policyPrincipal, principalName, uncovered, usedFlags } from "./approval-policy.ts"
import { AskCause, PolicyFlag } from "./values.ts"

describe("flags that answer in place of a person", () => {
  it("cover the preset with --yes, and nothing else with it", () => {
    expect(uncovered(["--yes"], AskCause.options)).toEqual(AskCause.options.filter((cause) => cause !== "preset"))
  })

  it("never cover an unknown outcome", () => {
    expect(uncovered(PolicyFlag.options, AskCause.options)).toEqual(["unsettled"])
    expect(flagFor("unsettled", "bash")).toBeUndefined()
  })

  it("are named for every cause that they cover", () => {
    for (const cause of AskCause.options) {
      const flag = PolicyFlag.options.find((name) => flagFor(cause, "bash")?.startsWith(name) === true)
      expect(flag === undefined ? [cause] : uncovered([flag], [cause])).toEqual(cause === "unsettled" ? [cause] : [])
    }
  })

  it("are stored only where they were needed", () => {
    expect(usedFlags(PolicyFlag.options, ["untrusted"])).toEqual(["--allow-untrusted"])
    expect(usedFlags(["--yes", "--allow-tool"], ["preset"])).toEqual(["--yes"])
    expect(usedFlags(["--yes", "--allow-untrusted"], ["preset", "untrusted"])).toEqual(["--yes", "--allow-untrusted"])
  })

  it("are shown as policy, unlike a user's name", () => {
    expect(principalName(policyPrincipal(["--yes", "--allow-untrusted"]))).toBe("policy (--yes --allow-untrusted)")
    expect(principalName("root")).toBe("root")
  })
})
