import { describe, expect, it } from "vitest"
import { toolInputSchemas } from "../generated/tool-inputs.js"
import { isObject } from "../json-object.ts"
import type { JsonValue } from "../values.ts"
import { coreToolNames } from "./core-tools.ts"
import { calledToolName, ownFields, spellingsOf } from "./tool-spellings.ts"

describe("fields as other agents spell them", () => {
  it.each<[string, JsonValue, JsonValue]>([
    ["read", { file_path: "a", offset: 2 }, { path: "a", offset: 2 }],
    ["read", { filePath: "a" }, { path: "a" }],
    ["write", { file_path: "a", file_text: "x" }, { path: "a", content: "x" }],
    ["edit", { path: "a", oldText: "x", newText: "y" }, { path: "a", old_string: "x", new_string: "y" }],
    ["edit", { path: "a", old_str: "x", new_str: "y" }, { path: "a", old_string: "x", new_string: "y" }],
    ["bash", { cmd: "ls", description: "list" }, { command: "ls", description: "list" }],
    ["grep", { pattern: "x", glob: "*.ts" }, { pattern: "x", include: "*.ts" }],
    ["grep", { pattern: "x", "-n": true }, { pattern: "x" }],
    ["web_fetch", { url: "a", prompt: "Summarise." }, { url: "a" }],
    ["web_fetch", { url: "a", format: "markdown", start_index: 5 }, { url: "a", offset: 5 }],
    ["web_fetch", { url: "a", prompt: ["x"] }, { url: "a", prompt: ["x"] }],
    ["lookup_order", { file_path: "a" }, { file_path: "a" }],
    ["read", "a", "a"],
    ["read", { constructor: "a" }, { constructor: "a" }],
  ])("%s: %j becomes %j", (tool, input, expected) => {
    expect(ownFields(tool, input)).toEqual(expected)
  })

  it.each<[string, JsonValue]>([
    ["read", { path: "a", file_path: "b" }],
    ["read", { filePath: "a", file_path: "b" }],
  ])("%s: %j stays as it is, because two fields mean the same", (tool, input) => {
    expect(ownFields(tool, input)).toEqual(input)
  })

  it.each(coreToolNames)("of %s lead to fields that it has", (tool) => {
    const schema = Object.entries(toolInputSchemas).find(([name]) => name === tool)?.[1]
    const properties = schema?.["properties"]
    const fields = isObject(properties) ? Object.keys(properties) : []
    const spellings = spellingsOf(tool, fields)
    expect([...spellings.values()].filter((field) => !fields.includes(field))).toEqual([])
    expect(Object.keys(schema ?? {})).toContain("properties")
  })
})

describe("the name of a called tool", () => {
  const exists = (name: string) => ["bash", "read", "edit", "replace"].includes(name)

  it.each([
    ["Read", "read"],
    ["MultiEdit", "edit"],
    ["str_replace", "edit"],
    ["shell", "bash"],
    ["replace", "replace"],
    ["Write", "Write"],
    ["nothing", "nothing"],
  ])("%s is %s", (name, expected) => {
    expect(calledToolName(name, exists)).toBe(expected)
  })
})
