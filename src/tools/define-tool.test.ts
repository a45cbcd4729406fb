import { describe, expect, it } from "vitest"
import type { JsonValue } from "../contract/values.ts"
import { workbenches } from "./fixtures/workbench.ts"

describe("an invalid input", () => {
  const openBench = workbenches()

  it.each<[string, JsonValue, string | undefined]>([
    ["bash", { command: "ls" }, undefined],
    ["bash", {}, "The input of bash does not fit: 'command' is missing."],
    ["bash", { comand: "ls" }, "bash has no field 'comand'; did you mean 'command'?"],
    ["read", { file: "a" }, "read has no field 'file'; did you mean 'path'?"],
    [
      "read",
      { path: "a", encoding: "utf8" },
      "read has no field 'encoding'; its fields are path, offset, limit, column, page.",
    ],
    [
      "read",
      { path: 5, lmit: 3 },
      "read has no field 'lmit'; did you mean 'limit'? The input of read does not fit: 'path' must be a string.",
    ],
    ["bash", { command: "" }, "The input of bash does not fit: 'command' must not be empty."],
    ["bash", { command: 5 }, "The input of bash does not fit: 'command' must be a string."],
    [
      "bash",
      { command: "ls", timeout: 0.5 },
      "The input of bash does not fit: 'timeout' must be a whole number; 'timeout' must be at least 1.",
    ],
    ["bash", { command: "ls", timeout: 9999 }, "The input of bash does not fit: 'timeout' must be at most 3600."],
    [
      "find",
      { pattern: "*", type: "socket" },
      `The input of find does not fit: 'type' must be one of "file", "directory".`,
    ],
    ["ls", null, "The input of ls does not fit: the input must be an object."],
    ["ls", "src", "The input of ls does not fit: the input must be an object."],
  ])("is described in one sentence: %s %j", (name, input, expected) => {
    expect(openBench().tool(name).problem(input)).toBe(expected)
  })

  it("makes prepare throw", async () => {
    await expect(openBench().prepare("bash", { command: 5 })).rejects.toThrow("does not fit")
  })
})
