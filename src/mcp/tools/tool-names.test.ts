import { expect, it } from "vitest"
import { MAX_SERVER_NAME, toolName } from "./tool-names.ts"

it("keeps names that every provider accepts", () => {
  expect(toolName("files", "read_file")).toBe("mcp__files__read_file")
})

it("changes other names so that no two become one", () => {
  const names = ["a.b", "a b", "a_b", "ä", "Ä", "x".repeat(128), `${"x".repeat(127)}y`].map((tool) =>
    toolName("s", tool),
  )
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^mcp__s__[A-Za-z0-9_-]{1,56}$/)
})

it("begins with the whole name of the server, so that rules about the server hold for every tool", () => {
  const server = "s".repeat(MAX_SERVER_NAME)
  const name = toolName(server, "delete_everything")
  expect(name.startsWith(`mcp__${server}__`)).toBe(true)
  expect(name).toHaveLength(64)
})
