// The MCP servers that a session in a folder would have, those that it would not use and why. Starts none.
import { join } from "node:path"
import { parseConfigText } from "../../config/parse-config-text.ts"
import { valueAt } from "../../config/plain.ts"
import { readConfigFile } from "../../config/read-config-file.ts"
import { projectConfig } from "../../config/trust/project-files.ts"
import { isObject } from "../../contract/json-object.ts"
import { nearestKey } from "../../contract/text/nearest-key.ts"
import { readServerLogin } from "../../mcp/oauth/login-file.ts"
import type { McpServer } from "../../mcp/mcp-server.ts"
import { AppFault, usageFault } from "../app-fault.ts"
import type { AppContext } from "../context.ts"
import { mcpServers, type McpSettings } from "../settings/mcp-servers.ts"
import { withLoginFaults } from "./login-faults.ts"

/** `not started`: nothing is known about it before it is started. */
export type ServerState =
  | "not started"
  | "logged in"
  | "needs login"
  | "disabled"
  | "invalid"
  | "folder not trusted"
  /** In an open session. */
  | "running"
  | "starting"
  | "failed"

export interface ListedServer {
  readonly name: string
  /** Null if the settings were not read. */
  readonly transport: McpServer["kind"] | null
  readonly state: ServerState
  /** Why it is not used. */
  readonly problem: string | null
  /** Whether the annotations of its tools count. */
  readonly trusted: boolean
  readonly source: string
}

export interface ListedServers {
  readonly servers: readonly ListedServer[]
  /** Files that could not be read. */
  readonly problems: readonly string[]
}

export async function listServers(context: AppContext): Promise<ListedServers> {
  const { servers, unused, problems } = await settingsOf(context)
  const used = servers.map((server) => ({
    name: server.name,
    transport: server.kind,
    state: loginStateOf(server, context.home),
    problem: null,
    trusted: server.isTrusted,
    source: server.source,
  }))
  const others = unused.map(({ name, source, problem }) => ({
    name,
    source,
    transport: null,
    trusted: false,
    problem: problem ?? null,
    state: problem === undefined ? ("disabled" as const) : ("invalid" as const),
  }))
  const known = new Set([...used, ...others].map(({ name }) => name))
  const untrusted = context.trusted ? [] : await projectServers(context.cwd)
  const all = [...used, ...others, ...untrusted.filter(({ name }) => !known.has(name))]
  return { servers: all.toSorted((one, other) => (one.name < other.name ? -1 : 1)), problems }
}

/** Throws a fault that names the reason if it cannot be used. */
export async function serverNamed(name: string, context: AppContext): Promise<McpServer> {
  const settings = await settingsOf(context)
  const found = settings.servers.find((server) => server.name === name)
  if (found !== undefined) return found
  const unused = settings.unused.find((server) => server.name === name)
  if (unused !== undefined)
    throw new AppFault(`MCP server "${name}" in ${unused.source} is not used: ${unused.problem ?? "it is disabled"}.`)
  const untrusted = context.trusted ? [] : await projectServers(context.cwd)
  const ofProject = untrusted.find((server) => server.name === name)
  if (ofProject !== undefined)
    throw new AppFault(`MCP server "${name}" is in ${ofProject.source}, and the folder is not trusted: turnhouse trust`)
  const names = [...settings.servers, ...settings.unused].map((server) => server.name)
  const nearest = nearestKey(name, names)
  const hint = nearest?.close === true ? ` Did you mean ${nearest.key}?` : " 'turnhouse mcp ls' lists them."
  throw usageFault(`no MCP server is named "${name}".${hint}`)
}

function settingsOf({ home, config, serverFiles, ownPlaces, cwd }: AppContext): Promise<McpSettings> {
  return mcpServers({ home, env: process.env, config, serverFiles, ownPlaces, settingsFolder: cwd })
}

/** From the stored logins: the server is not asked. */
export function loginStateOf({ url, oauth }: McpServer, home: string): "not started" | "logged in" | "needs login" {
  if (url === undefined) return "not started"
  const login = withLoginFaults(() => readServerLogin(home, url))
  if (login?.kind === "tokens") return "logged in"
  return login?.kind === "needed" || oauth !== undefined ? "needs login" : "not started"
}

/** Names only: nothing else of an untrusted file is used. */
async function projectServers(cwd: string): Promise<readonly ListedServer[]> {
  const listed: ListedServer[] = []
  for (const file of [projectConfig, ".mcp.json"]) {
    const source = join(cwd, file)
    const content = readConfigFile(source)
    const parsed = content.kind === "text" ? await parseConfigText(content.text) : undefined
    const servers = parsed?.kind === "value" ? valueAt(parsed.value, ["mcpServers"]) : undefined
    for (const name of Object.keys(isObject(servers) ? servers : {}))
      listed.push({ name, source, transport: null, state: "folder not trusted", problem: null, trusted: false })
  }
  return listed
}
