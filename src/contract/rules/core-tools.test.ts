import { describe, expect, it } from "vitest"
import { rememberedCall } from "./approval-answers.ts"
import { isOfferedTo, mainArgument, permissionArgument } from "./core-tools.ts"
import { offeredPattern, permits, sparesCause } from "./grants.ts"

describe("the main argument", () => {
  it.each([
    ["write", { path: "evil", content: "x", command: "notes.txt" }, "evil"],
    ["bash", { path: "harmless", command: "rm -r ." }, "rm -r ."],
    ["grep", { pattern: "x", path: "/etc" }, "/etc"],
  ])("of the core tool %s is the field that it uses, whatever else was added", (tool, input, expected) => {
    expect(mainArgument(tool, input)).toBe(expected)
    expect(permissionArgument(tool, input)).toBe(expected)
  })

  it("of other tools is shown if there is one, and does not grant a permission", () => {
    expect(mainArgument("pay_out", { path: "x", amount: 1 })).toBe("x")
    expect(permissionArgument("pay_out", { path: "x", amount: 1 })).toBe('{"path":"x","amount":1}')
    expect(permissionArgument("grep", { pattern: "/etc" })).toBe('{"pattern":"/etc"}')
  })
})

describe("web_fetch", () => {
  it("is shown by its address, and permitted by the host of it", () => {
    const input = { url: "https://Docs.Example.org.:8443/a?b" }
    expect(mainArgument("web_fetch", input)).toBe(input.url)
    expect(permissionArgument("web_fetch", input)).toBe("docs.example.org")
    expect(offeredPattern("web_fetch", input)).toBe("docs.example.org")
    expect(permits({ tool: "web_fetch", pattern: "*.example.org" }, input)).toBe(true)
    expect(permits({ tool: "web_fetch", pattern: "example.org" }, input)).toBe(false)
    expect(permissionArgument("web_fetch", { url: "nowhere" })).toBe('{"url":"nowhere"}')
  })
})

describe("a permission in advance", () => {
  it("spares requests because of untrusted text only where it names a host", () => {
    expect(sparesCause("web_fetch", "untrusted")).toBe(true)
    expect(sparesCause("bash", "untrusted")).toBe(false)
    expect(sparesCause("bash", "preset")).toBe(true)
    expect(sparesCause("web_fetch", "approve")).toBe(false)
  })
})

describe("web_search", () => {
  it("is shown by its query, and permitted for every query", () => {
    expect(mainArgument("web_search", { query: "node streams" })).toBe("node streams")
    expect(rememberedCall("web_search", { query: "a *" })).toEqual({ pattern: "any query", scope: "session" })
    expect(permits({ tool: "web_search", pattern: "any query" }, { query: "b" })).toBe(true)
  })
})

describe("apply_patch", () => {
  it.each([
    ["openai/gpt-5.2", true],
    ["gpt-5-codex", true],
    ["openrouter/openai/gpt-6", true],
    ["codex-mini-latest", true],
    ["openai/gpt-4.1", false],
    ["anthropic/claude-sonnet-4-5", false],
    ["offline/demo", false],
  ])("is offered to %s: %s", (model, isOffered) => {
    expect(isOfferedTo("apply_patch", model)).toBe(isOffered)
    expect(isOfferedTo("edit", model)).toBe(true)
  })

  it("is shown by the files that it names", () => {
    const input = "*** Begin Patch\n*** Add File: a.ts\n+x\n*** Delete File: b c.ts\n*** End Patch"
    expect(mainArgument("apply_patch", { input })).toBe("a.ts, b c.ts")
  })

  it("needs a new approval outside of the working folder, although all patches were allowed", () => {
    const input = { input: "*** Begin Patch\n*** Add File: /etc/x\n+x\n*** End Patch" }
    expect(offeredPattern("apply_patch", input)).toBeUndefined()
    expect(permits({ tool: "apply_patch", pattern: "*" }, input, ["/etc/x"])).toBe(false)
    expect(permits({ tool: "apply_patch", pattern: "*" }, input)).toBe(true)
  })
})
