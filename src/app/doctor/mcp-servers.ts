// Checks the MCP servers of this folder and user by their settings. They are not started: 'turnhouse mcp test' does that.
import type { McpServer } from "../../mcp/mcp-server.ts"
import { findProgram } from "../../tools/start-command.ts"
import { loginStateOf } from "../mcp/list.ts"
import { mcpServers, type McpRequest } from "../settings/mcp-servers.ts"
import { type Check, type Finding, ok, warning } from "./finding.ts"

const subject = "MCP servers"

export function mcpServerChecks(request: McpRequest): readonly Check[] {
  return [{ subject, look: () => findings(request) }]
}

async function findings(request: McpRequest): Promise<readonly Finding[]> {
  const { servers, unused, problems } = await mcpServers(request)
  return [
    ...problems.map((what) => warning(subject, what, "fix the file; none of its servers is used")),
    ...unused.flatMap(({ name, source, problem }) =>
      problem === undefined
        ? []
        : [warning(subject, `${name} (${source}) is not used: ${problem}`, `correct or remove it in ${source}`)],
    ),
    ...servers.map((server) => finding(server, request)),
  ]
}

function finding(server: McpServer, { home, env }: McpRequest): Finding {
  const { name, source, kind, command = "" } = server
  if (kind === "http")
    return loginStateOf(server, home) === "needs login"
      ? warning(subject, `${name} needs a login`, `turnhouse mcp login ${name}`)
      : ok(subject, `${name}: ${source}`)
  const path = server.env?.["PATH"] ?? env["PATH"]
  if (findProgram(command, path) === undefined)
    return warning(subject, `${name}: ${command} was not found`, `install it, or correct "command" in ${source}`)
  return ok(subject, `${name}: ${source}`)
}
