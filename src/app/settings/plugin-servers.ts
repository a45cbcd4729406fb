// MCP servers of plugins. A server keeps its name unless another one has it; then it gets that of its plugin in front. Never
// trusted by themselves: what the user installs may still call a changing tool harmless.
import { isObject } from "../../contract/json-object.ts"
import { withoutTrailing } from "../../contract/text/text.ts"
import type { ServerPlace } from "../../mcp/server-settings.ts"
import { MAX_SERVER_NAME } from "../../mcp/tools/tool-names.ts"
import type { PluginValue } from "../../plugins/layout.ts"
import type { SessionPlugin } from "../plugins/session-plugins.ts"

export interface PluginServersRequest extends Pick<ServerPlace, "env" | "isClosed"> {
  /** Places that come before plugins. */
  readonly places: readonly ServerPlace[]
  /** Names that the user has switched off. */
  readonly disabled: ReadonlySet<string>
}

export async function pluginServers(
  plugins: readonly SessionPlugin[],
  { places, disabled, env, isClosed }: PluginServersRequest,
): Promise<readonly ServerPlace[]> {
  const taken = new Map(places.flatMap(({ servers }) => (isObject(servers) ? Object.entries(servers) : [])))
  const found: ServerPlace[] = []
  for (const plugin of plugins) {
    if (!(await plugin.isOpen())) continue
    const { folder, isOwn } = plugin
    const variables = { CLAUDE_PLUGIN_ROOT: folder, PLUGIN_DIR: folder }
    const place = {
      folder,
      isOwn: false,
      isProject: !isOwn,
      timeUnitMs: 1,
      env: { ...env, ...variables },
      isClosed,
      disabled,
    }
    for (const { source, value } of plugin.servers) {
      const servers = withFreeNames(plugin.id, value, taken)
      for (const [name, server] of servers) taken.set(name, server)
      found.push({ ...place, source, servers: Object.fromEntries(servers.map(withVariables(variables))) })
    }
  }
  return found
}

/** A name that the user has disabled is not freed by renaming. */
function withFreeNames(
  id: string,
  value: PluginValue["value"],
  taken: ReadonlyMap<string, unknown>,
): readonly (readonly [string, unknown])[] {
  return Object.entries(value).flatMap(([name, server]) => {
    if (!taken.has(name)) return [[name, server]]
    return isDisabled(taken.get(name)) ? [] : [[freeName(`${id}_${name}`, taken), server]]
  })
}

function isDisabled(server: unknown): boolean {
  return isObject(server) && server["disabled"] === true
}

function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, "_").replaceAll(/_{2,}/g, "_")
  const numbered = (number: number) => {
    const end = number === 1 ? "" : `_${number}`
    return withoutTrailing(plain.slice(0, MAX_SERVER_NAME - end.length), "_") + end
  }
  let number = 1
  while (taken.has(numbered(number))) number++
  return numbered(number)
}

/** A program of a plugin finds its files by them. */
function withVariables(variables: Readonly<Record<string, string>>) {
  return ([name, server]: readonly [string, unknown]): readonly [string, unknown] => {
    if (!isObject(server) || server["command"] === undefined) return [name, server]
    const env = server["env"] ?? {}
    return [name, isObject(env) ? { ...server, env: { ...variables, ...env } } : server]
  }
}
