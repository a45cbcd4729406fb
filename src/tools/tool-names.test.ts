import { describe, expect, it } from "vitest"
import { toolInputSchemas } from "../contract/generated/tool-inputs.js"
import { knowledgeTool } from "./knowledge-search.ts"
import { builtInToolNames, canonicalToolName } from "../contract/rules/core-tools.ts"
import { isAgentTool } from "./tool.ts"

describe("names of tools", () => {
  it.each([
    ["read_file", "read"],
    ["execute_command", "bash"],
    ["Glob", "find"],
    ["LS", "ls"],
    ["bash", "bash"],
    ["TodoWrite", "todo"],
    ["WebFetch", "web_fetch"],
    ["shop.lookup", "shop.lookup"],
    ["constructor", "constructor"],
  ])("%s is %s", (name, ours) => {
    expect(canonicalToolName(name)).toBe(ours)
  })

  it("of the built-in tools are those with an input schema, except agents and documents", () => {
    const others = Object.keys(toolInputSchemas).filter((name) => !isAgentTool(name) && name !== knowledgeTool)
    expect(new Set<string>(builtInToolNames)).toEqual(new Set(others))
  })
})
