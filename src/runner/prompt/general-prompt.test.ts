import { describe, expect, it } from "vitest"
import { generalPrompt } from "./general-prompt.ts"
import { textTokens } from "./token-estimate.ts"

const all = ["bash", "read", "write", "edit", "grep", "find", "ls", "subagent", "todo"]

describe("the built-in system prompt", () => {
  it("is short", () => {
    expect(textTokens(generalPrompt(all))).toBeLessThan(1000)
  })

  it("is the same for the same tools, in any order", () => {
    expect(generalPrompt(all.toReversed())).toBe(generalPrompt(all))
  })

  it("mentions only tools that the model has", () => {
    const prompt = generalPrompt([])
    expect(prompt).not.toContain("shell")
    expect(prompt).not.toContain("Read a file before you change it")
    expect(generalPrompt(["bash", "grep"])).toContain("Look at files with grep instead of shell commands.")
  })
})
