import { describe, expect, it } from "vitest"
import type { ListedTool } from "../listing/listing.ts"
import type { McpServer } from "../mcp-server.ts"
import { RunningServer } from "../running-server.ts"
import { stdioServer } from "../fixtures/servers.ts"
import { serverTool } from "./server-tool.ts"

const listed: ListedTool = {
  name: "work",
  description: "Does the work.",
  inputSchema: { type: "object" },
  isReadOnly: true,
  isIdempotent: false,
  annotations: {},
  revision: "1",
}

function tool(more: Partial<McpServer> = {}, changed: Partial<ListedTool> = {}) {
  const deps = { release: "0", spawn: () => Promise.reject(new Error("not started")), debug: () => {}, warn: () => {} }
  return serverTool(new RunningServer(stdioServer("odd", ["a"], more), deps), { ...listed, ...changed })
}

describe("the revision of a tool", () => {
  it("is the same for the same server and description", () => {
    expect(tool().revision).toBe(tool().revision)
  })

  it.each([
    ["its description", tool({}, { revision: "2" })],
    ["the program of its server", tool({ command: "/bin/other" })],
    ["the arguments of its server", tool({ args: ["b"] })],
    ["the address of its server", tool({ kind: "http", url: "https://example.com/" })],
  ])("changes with %s", (_, other) => {
    expect(other.revision).not.toBe(tool().revision)
  })
})

it("is unsafe whatever its server says, unless the user trusts the server", () => {
  expect(tool()).toMatchObject({ class: "unsafe" })
  expect(tool().isReadOnly).toBeUndefined()
  expect(tool({ isTrusted: true })).toMatchObject({ class: "read", isReadOnly: true })
  expect(tool({ isTrusted: true }, { isReadOnly: false, isIdempotent: true })).toMatchObject({ class: "keyed" })
})
