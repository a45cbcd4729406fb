// The MCP servers of a session: of its folder while it is trusted, of the user's configuration, those that the user has
// given Claude Code, and those of plugins. Names are looked up in the order of Claude Code: this folder only, the project,
// the user, plugins.
import { dirname, join } from "node:path"
import type { ServerFiles } from "../../config/combine-files.ts"
import { withUserHome, type Environment } from "../../config/home.ts"
import type { LayerFile } from "../../config/layer-files.ts"
import { parseConfigText } from "../../config/parse-config-text.ts"
import { valueAt } from "../../config/plain.ts"
import { readConfigFile } from "../../config/read-config-file.ts"
import { isTrusted } from "../../config/trust/trust.ts"
import type { Config } from "../../contract/config.ts"
import { isObject } from "../../contract/json-object.ts"
import { serversIn, type McpServer, type ServerPlace, type ServerSettings } from "../../mcp/server-settings.ts"
import { keyVariablesOf } from "../../models/providers/settings.ts"
import { secretsOf } from "../../secrets/find-secrets.ts"
import { learnSecret } from "../secrets/home-secrets.ts"
import { sessionPlugins } from "../plugins/session-plugins.ts"
import { claudeServers, type ClaudeServers } from "./claude-servers.ts"

export interface McpRequest {
  readonly home: string
  readonly env: Environment
  readonly config: Config
  readonly serverFiles: ServerFiles
  /** The folder whose settings count; undefined where visitors talk to the session. */
  readonly settingsFolder: string | undefined
  /** See LoadedConfig. */
  readonly ownPlaces: readonly string[]
}

export interface McpSettings extends ServerSettings {
  /** Files that could not be read. */
  readonly problems: readonly string[]
}

/** Reads the files as they are now. Secrets of the servers are redacted from then on. */
export async function mcpServers(request: McpRequest): Promise<McpSettings> {
  const { settingsFolder } = request
  const problems: string[] = []
  const note = (problem: string) => void problems.push(problem)
  const places =
    settingsFolder === undefined
      ? configured(request, isOwnLayer)
      : await localPlaces({ ...request, settingsFolder }, note)
  const found = serversIn(places)
  learnSecrets(found.servers)
  return { ...found, problems }
}

type LocalRequest = McpRequest & { readonly settingsFolder: string }
type Note = (problem: string) => void

async function localPlaces(request: LocalRequest, note: Note): Promise<readonly ServerPlace[]> {
  const { env, settingsFolder } = request
  const file = withUserHome("~/.claude.json", env)
  const claude = claudeServers(file, settingsFolder, note)
  const own = { source: file, env, isClosed: isOwnVariable, folder: settingsFolder, isOwn: false, timeUnitMs: 1 }
  const disabled = claude.disabled
  const places = [
    ...configured(request, ({ kind }) => kind === "named"),
    { ...own, servers: claude.ofFolder, disabled },
    ...configured(request, ({ kind }) => kind === "project"),
    ...(await projectServers(request, claude, note)),
    ...configured(request, ({ kind }) => kind === "user" || kind === "profile"),
    { ...own, servers: claude.ofUser, disabled },
  ]
  return [...places, ...(await ofPlugins(request, places, disabled))]
}

/** Of plugins that the session may use now. */
async function ofPlugins(
  request: LocalRequest,
  places: readonly ServerPlace[],
  disabled: ReadonlySet<string>,
): Promise<readonly ServerPlace[]> {
  const { home, env, config, settingsFolder, ownPlaces } = request
  const trusted = await isTrusted(home, settingsFolder)
  const { plugins } = await sessionPlugins({ home, env, config, ownPlaces, settingsFolder, trusted })
  const withServers = plugins.filter(({ servers }) => servers.length > 0)
  if (withServers.length === 0) return []
  const { pluginServers } = await import("./plugin-servers.ts")
  return pluginServers(withServers, { places, disabled, env, isClosed: closedToProjects(config) })
}

function isOwnLayer({ kind }: LayerFile): boolean {
  return kind !== "project"
}

/** One place for each file of the configuration. */
function configured(request: McpRequest, isWanted: (file: LayerFile) => boolean): readonly ServerPlace[] {
  const { config, env, serverFiles } = request
  const entries = Object.entries(config.mcpServers ?? {})
  const files = new Map([...serverFiles.values()].filter(isWanted).map((file) => [file.path, file]))
  return [...files.values()].map((file) => ({
    source: file.path,
    servers: Object.fromEntries(entries.filter(([name]) => serverFiles.get(name)?.path === file.path)),
    folder: dirname(file.path),
    isOwn: isOwnLayer(file),
    isProject: !isOwnLayer(file),
    timeUnitMs: 1000,
    env,
    isClosed: isOwnLayer(file) ? isOwnVariable : closedToProjects(config),
  }))
}

/** `.mcp.json`, as Claude Code reads it. */
async function projectServers(
  request: LocalRequest,
  claude: ClaudeServers,
  note: Note,
): Promise<readonly ServerPlace[]> {
  const { home, env, config, settingsFolder } = request
  const source = join(settingsFolder, ".mcp.json")
  const file = readConfigFile(source)
  if (file.kind === "absent" || !(await isTrusted(home, settingsFolder))) return []
  const parsed =
    file.kind === "text" ? await parseConfigText(file.text) : { kind: "unreadable" as const, what: file.what }
  if (parsed.kind === "unreadable") note(`${source}: ${parsed.what}.`)
  else if (parsed.kind === "broken") note(`${source}:${parsed.place.line}:${parsed.place.column}: ${parsed.what}.`)
  else if (!isObject(valueAt(parsed.value, ["mcpServers"]))) note(`${source}: it has no object "mcpServers".`)
  if (parsed.kind !== "value") return []
  const servers = valueAt(parsed.value, ["mcpServers"])
  const disabled = claude.disabledOfProject
  const isClosed = closedToProjects(config)
  return [
    { source, servers, folder: settingsFolder, isOwn: false, isProject: true, timeUnitMs: 1, env, isClosed, disabled },
  ]
}

function isOwnVariable(name: string): boolean {
  return name.startsWith("TURNHOUSE_")
}

/** A file that came with a project must not send keys of model providers to its servers. */
function closedToProjects({ providers = {}, tools }: Config): (name: string) => boolean {
  const keys = new Set(keyVariablesOf(providers))
  const named = new Set(tools?.env ?? [])
  return (name) => isOwnVariable(name) || (keys.has(name) && !named.has(name))
}

/** With their variables inserted. */
function learnSecrets(servers: readonly McpServer[]): void {
  const entries = servers.map(({ name, env, url, headers, oauth }) => {
    const { clientSecret } = oauth ?? {}
    return [name, { env, url, headers, oauth: { clientSecret } }] as const
  })
  const secrets = secretsOf({ env: {}, config: { mcpServers: Object.fromEntries(entries) } })
  for (const { name, value } of secrets) learnSecret(name, value)
}
