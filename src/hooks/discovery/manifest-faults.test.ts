import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../contract/values.ts"
import { readManifest } from "./manifest.ts"

function faultsOf(extension: JsonValue): readonly string[] {
  const read = readManifest(JSON.stringify({ extension }))
  return read.kind === "bad" ? read.reasons : []
}

describe("the faults in the shape of a manifest", () => {
  it("are all named, each with its location", () => {
    const extension = {
      runtime: "Process",
      command: 7,
      args: ["a", 1],
      hooks: [{ hook: "before_tool_call", tool: ["bash"] }, { tool: "x" }, { hook: "h", match: { regex: "x" } }],
      config: [{ key: "a", type: "date", required: "yes" }, "b"],
    }
    expect(faultsOf(extension)).toEqual([
      'extension.runtime must be "process"',
      "extension.command must be string",
      "extension.args[1] must be string",
      "extension.hooks[0].tool must be string or null",
      "extension.hooks[1] must have required property 'hook'",
      "extension.hooks[2].match has an unknown member 'regex'",
      'extension.config[0].type must be "string" or "bool" or "number" or null',
      "extension.config[0].required must be boolean",
      "extension.config[1] must be object",
    ])
  })

  it.each([
    [null, "extension must be object"],
    [{}, "extension must have required property 'runtime'"],
    [{ runtime: "process", command: "x", hooks: {} }, "extension.hooks must be array"],
    [
      { runtime: "process", command: "x", hooks: [{ hook: "h", match: 3 }] },
      "extension.hooks[0].match must be object or null",
    ],
  ])("of %j are named", (extension, fault) => {
    expect(faultsOf(extension)).toContain(fault)
  })
})
