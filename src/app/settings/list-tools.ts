// Lists the tools of a host. Extensions and MCP servers are started for it, since only running ones list their tools.
import { limits } from "../../contract/limits.ts"
import { newSessionId } from "../../host/new-ids.ts"
import { thisHost } from "../../log/process-identity.ts"
import { ProcessSupervisor } from "../../processes/process-supervisor.ts"
import { extensionTools } from "../../runner/hooks/extension-tools.ts"
import type { Scrubber } from "../../runner/session-context.ts"
import { homeKey } from "../../secrets/home-key.ts"
import { FileMemory } from "../../tools/files/file-memory.ts"
import type { Tool } from "../../tools/tool.ts"
import type { AppContext } from "../context.ts"
import { Extensions } from "../extensions/extensions.ts"
import { openRedactor } from "../secrets/home-secrets.ts"
import { KnowledgeSources } from "./knowledge.ts"
import { Servers } from "./server-source.ts"
import { toolEnvironment } from "./session-settings.ts"
import { buildToolSet } from "./tool-set.ts"

export type ListedTool = Pick<Tool, "name" | "class" | "description" | "inputSchema">

export interface ListOptions {
  /** Gets sentences about servers whose tools are missing. */
  readonly warn: (sentence: string) => void
  /** Tools of extensions and servers that take longer to start are missing. */
  readonly waitMs?: number | undefined
}

export async function listTools(
  context: AppContext,
  { warn, waitMs = limits.toolsListMs }: ListOptions,
): Promise<readonly ListedTool[]> {
  const { home, config, ownPlaces } = context
  const processes = new ProcessSupervisor(thisHost("tools-list").hostId)
  const extensions = new Extensions(home, processes)
  const servers = new Servers(home, processes)
  const scrubber = openRedactor(home, config, homeKey(home))
  try {
    const { source: knowledge } = new KnowledgeSources(home).for(config)
    const { tools } = await buildToolSet({ home, config, ownPlaces, processes, knowledge, fileMemoryFor })
    const started = await Promise.all([
      toolsOfExtensions(context, extensions, { others: tools, scrubber, waitMs }),
      toolsOfServers(context, servers, { scrubber, warn, waitMs }),
    ])
    return [...tools, ...started.flat()]
  } finally {
    await Promise.all([extensions.close(), servers.close()])
    await processes.close()
  }
}

interface Starting {
  readonly scrubber: Scrubber
  readonly waitMs: number
}

async function toolsOfExtensions(
  { cwd, config, ownPlaces, trusted, noExtensions }: AppContext,
  extensions: Extensions,
  { others, scrubber, waitMs }: Starting & { readonly others: readonly Tool[] },
): Promise<readonly Tool[]> {
  if (noExtensions === true) return []
  const place = { config, ownPlaces, cwd, settingsFolder: cwd, trusted, scrubber, env: {} }
  const source = await extensions.for({ ...place, preset: "trusting", named: [] })
  if (source === undefined) return []
  const hooks = source.enter(newSessionId(Date.now()))
  await hooks.loadedWithin(waitMs)
  return (await extensionTools(hooks.tools, others)).map(({ tool }) => tool)
}

async function toolsOfServers(
  { cwd, config, serverFiles, ownPlaces }: AppContext,
  servers: Servers,
  { scrubber, warn, waitMs }: Starting & Pick<ListOptions, "warn">,
): Promise<readonly Tool[]> {
  const source = await servers.for({ config, serverFiles, ownPlaces, settingsFolder: cwd, scrubber })
  if (source === undefined) return []
  const env = () => toolEnvironment(process.env, config)
  const started = source.enter({ rootId: newSessionId(Date.now()), org: "", cwd, env })
  started.follow(warn)
  await started.ready(undefined, waitMs)
  return started.tools
}

function fileMemoryFor(): FileMemory {
  return new FileMemory()
}
