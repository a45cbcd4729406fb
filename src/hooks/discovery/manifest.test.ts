import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../contract/values.ts"
import { checkManifest, readManifest, type CheckOptions } from "./manifest.ts"

const good = {
  runtime: "process",
  command: "node",
  permissions: ["tools.intercept"],
  hooks: [{ hook: "before_tool_call" }],
}

/** Whatever is wrong, or what came of it. */
function verdictOn(extension: JsonValue, options: CheckOptions = {}) {
  const read = readManifest(JSON.stringify({ name: "x", extension }))
  if (read.kind === "manifest") return checkManifest(read.manifest, options)
  return read.kind === "bad" ? { kind: read.kind, reason: read.reasons[0] } : read
}

function bad(reason: string) {
  return { kind: "bad", reason: expect.stringContaining(reason) }
}

describe("a manifest", () => {
  it("lists the hooks of an extension in order", () => {
    const match = { input_contains: "rm -rf" }
    const hooks = [
      { hook: "after_tool_call", tool: null, match: null },
      { hook: "before_tool_call", tool: "bash", match },
      { hook: "before_tool_call" },
    ]
    expect(verdictOn({ ...good, hooks })).toEqual({
      kind: "ok",
      version: 1,
      permissions: good.permissions,
      unknown: [],
      subscriptions: [
        { kind: "after_tool_call", tool: undefined, match: undefined },
        { kind: "before_tool_call", tool: "bash", match },
        { kind: "before_tool_call", tool: undefined, match: undefined },
      ],
    })
  })

  it("without an extension is ignored", () => {
    expect(readManifest(JSON.stringify({ name: "x", commands: [] }))).toEqual({ kind: "none" })
  })

  it("may have unknown members", () => {
    const extension = { ...good, name: "x", assets: [], providers: 7, deferred: {}, theme_tokens: {}, setup: "s.sh" }
    expect(verdictOn(extension)).toMatchObject({ kind: "ok" })
  })

  it.for([
    ["extension null", null, "extension must be object"],
    ["a runtime in the wrong case", { ...good, runtime: "Process" }, "extension.runtime"],
    ["a command that is a number", { ...good, command: 7 }, "extension.command must be string"],
    ["an unknown condition", { ...good, hooks: [{ hook: "before_tool_call", match: { regex: "x" } }] }, "'regex'"],
    [
      "a hook without its permission",
      { ...good, permissions: [] },
      "before_tool_call needs the permission tools.intercept",
    ],
    [
      "a tool where no tool is",
      { ...good, permissions: ["session.lifecycle"], hooks: [{ hook: "on_session_start", tool: "bash" }] },
      "on_session_start takes no tool",
    ],
    ["an unknown hook", { ...good, hooks: [{ hook: "onSessionStart" }] }, "no hook 'onSessionStart'"],
    ["a version that is not there", { ...good, protocol_version: 3 }, "version 3; supported: 1, 2"],
    ["an empty command", { ...good, command: "  " }, "command is empty"],
    ["a setting of an unknown type", { ...good, config: [{ key: "k", type: "date" }] }, "extension.config[0].type"],
  ] as const)("with %s is refused (case 54)", ([, extension, reason]) => {
    expect(verdictOn(extension)).toEqual(bad(reason))
  })

  it("that is not JSON, or no object, is refused", () => {
    expect(readManifest("{")).toEqual({ kind: "bad", reasons: [expect.stringContaining("not JSON")] })
    expect(readManifest("[]")).toEqual({ kind: "bad", reasons: ["the manifest is not a JSON object"] })
  })

  it.for([
    ["permission", { ...good, permissions: ["tools.intercept", "root"] }, "there is no permission 'root'"],
    [
      "reserved permission",
      { ...good, permissions: ["tools.intercept", "tools.override"] },
      "the permission tools.override is reserved and cannot be granted",
    ],
    [
      "hook",
      { ...good, hooks: [...good.hooks, { hook: "checkpoint.reached" }] },
      "there is no hook 'checkpoint.reached'",
    ],
  ] as const)("with an unknown %s works without it, unless it is a guard's", ([, extension, reason]) => {
    expect(verdictOn(extension)).toMatchObject({
      kind: "ok",
      permissions: ["tools.intercept"],
      subscriptions: [{ kind: "before_tool_call" }],
      unknown: [reason],
    })
    expect(verdictOn(extension, { isStrict: true })).toEqual(bad(reason))
  })

  it("without hooks is valid when it has commands that the extension handles", () => {
    expect(verdictOn({ ...good, permissions: [], hooks: [] }, { hasCommands: true })).toMatchObject({ kind: "ok" })
  })

  it("without hooks needs a permission to register something (case 55)", () => {
    expect(verdictOn({ ...good, permissions: [], hooks: [] })).toEqual(bad("no permission to register anything"))
    expect(verdictOn({ ...good, permissions: ["tools.intercept"], hooks: [] })).toEqual(
      bad("no permission to register anything"),
    )
    expect(verdictOn({ ...good, permissions: ["audio.input"], hooks: [] })).toMatchObject({ kind: "ok" })
  })

  it("with several faults is refused for the first one in protocol order", () => {
    const faults = { ...good, permissions: ["root"], hooks: [{ hook: "nope" }] }
    expect(verdictOn({ ...faults, protocol_version: 9, command: "" })).toEqual(bad("version 9"))
    expect(verdictOn({ ...faults, command: "" })).toEqual(bad("command"))
    expect(verdictOn(faults)).toEqual(bad("'root'"))
    expect(verdictOn({ ...faults, hooks: [] })).toEqual(bad("no permission to register anything"))
  })

  it("may name on_usage from version 2 on", () => {
    const extension = { ...good, permissions: ["privacy.llm_content"], hooks: [{ hook: "on_usage" }] }
    expect(verdictOn(extension)).toEqual(bad("on_usage needs protocol version 2"))
    expect(verdictOn({ ...extension, protocol_version: 2 })).toMatchObject({ kind: "ok", version: 2 })
  })
})
