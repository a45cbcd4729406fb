import { describe, expect, it } from "vitest"
import { mainArgument, permissionArgument } from "./core-tools.ts"

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
