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
    ["web_search", { q: "a", max_results: 3 }, { query: "a", count: 3 }],
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

describe("values as other agents send them", () => {
  it.each<[string, JsonValue, JsonValue]>([
    ["read", { path: "a", offset: 0, limit: "20", column: null }, { path: "a", offset: 1, limit: 20 }],
    ["read", { path: "7", offset: "-3" }, { path: "7", offset: "-3" }],
    ["bash", { command: "a", timeout: 120_000 }, { command: "a", timeout: 120 }],
    ["bash", { command: "a", timeout: 90_000_000 }, { command: "a", timeout: 3600 }],
    ["bash", { command: "a", timeout: 3600 }, { command: "a", timeout: 3600 }],
    ["bash", { command: ["bash", "-lc", "npm test"] }, { command: "npm test" }],
    ["bash", { command: ["rm", "-r", "a"] }, { command: ["rm", "-r", "a"] }],
    ["bash", { command: "12", run_in_background: "false" }, { command: "12", run_in_background: false }],
    ["grep", { pattern: "1", path: "", "-C": "2", "-i": "true" }, { pattern: "1", context: 2, ignore_case: true }],
    ["write", { path: "a", content: "5" }, { path: "a", content: "5" }],
    ["write", { path: "a", content: "" }, { path: "a", content: "" }],
    [
      "edit",
      { path: "a", old_string: "1", new_string: "", edits: null },
      { path: "a", old_string: "1", new_string: "" },
    ],
    [
      "edit",
      { path: "a", edits: [{ old_string: "1", new_string: "2", replace_all: "true" }] },
      { path: "a", edits: [{ old_string: "1", new_string: "2", replace_all: true }] },
    ],
    ["lookup_order", { limit: "5", path: null }, { limit: "5", path: null }],
  ])("%s: %j becomes %j", (tool, input, expected) => {
    expect(ownFields(tool, input)).toEqual(expected)
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
