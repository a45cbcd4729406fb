// Programs that a host starts in a conversation of the proof: an MCP server, whose tool adds a line to a file with each call,
// and an extension, which changes the input of the keyed tool.
import { existsSync, readFileSync } from "node:fs"
import type { Workspace } from "../../demo/workspace.ts"
import { extensionProgram } from "../extension-program.ts"
import type { Report } from "../violation.ts"
import { eventsOf, type History } from "./check-history.ts"

export const serverTool = "mcp__work__write"
const extensionId = "changes"

const serverProgram = `import { appendFileSync } from "node:fs"
import { createInterface } from "node:readline"
const file = process.argv[2]
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "prove", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "write", description: "Adds a line.", inputSchema: { type: "object" } }] }),
  "tools/call": () => (appendFileSync(file, "written\\n"), { content: [{ type: "text", text: "written" }] }),
}
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const answer = () => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: results[method]?.(params) ?? {} }) + "\\n")
  answer()
})
`

const manifest = {
  name: extensionId,
  extension: {
    protocol_version: 1,
    runtime: "process",
    command: "node",
    args: ["changes.mjs"],
    permissions: ["tools.intercept"],
    hooks: [{ hook: "before_tool_call", tool: "keep" }],
  },
}

/** A part of `config.json`. */
export function writePrograms(workspace: Workspace): object {
  const server = workspace.write("server.mjs", serverProgram)
  const answer = { action: "modify", input: { changed: true } }
  workspace.write(`${extensionId}/changes.mjs`, extensionProgram(JSON.stringify(answer)))
  workspace.writeJson(`${extensionId}/.synaps-plugin/plugin.json`, manifest)
  workspace.write("served", "")
  return {
    mcpServers: { work: { command: "node", args: [server, workspace.path("served")] } },
    extensions: { paths: [workspace.path(extensionId)] },
  }
}

/** `histories`: of all sessions of the home. A call of the server is unsafe: it runs at most once. */
export function checkServed(histories: readonly History[], workspace: Workspace, report: Report): void {
  const file = workspace.path("served")
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0
  const calls = new Set(
    histories
      .flatMap((history) => eventsOf(history, "tool.called"))
      .flatMap(({ tool, callId }) => (tool === serverTool ? [callId] : [])),
  )
  const started = histories
    .flatMap((history) => eventsOf(history, "tool.started"))
    .filter(({ callId }) => calls.has(callId))
  if (lines > started.length)
    report("doubled", "tool.started", `${started.length} calls of the MCP server were started, and it has run ${lines}`)
}
