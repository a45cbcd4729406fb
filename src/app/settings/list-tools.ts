// Lists the tools of a host. Extensions are started for it, since only running ones list their tools.
import { limits } from "../../contract/limits.ts"
import { newSessionId } from "../../host/new-ids.ts"
import { thisHost } from "../../log/process-identity.ts"
import { ProcessSupervisor } from "../../processes/process-supervisor.ts"
import { extensionTools } from "../../runner/hooks/extension-tools.ts"
import { homeKey } from "../../secrets/home-key.ts"
import { FileMemory } from "../../tools/files/file-memory.ts"
import type { Tool } from "../../tools/tool.ts"
import type { AppContext } from "../context.ts"
import { Extensions } from "../extensions/extensions.ts"
import { openRedactor } from "../secrets/home-secrets.ts"
import { KnowledgeSources } from "./knowledge.ts"
import { buildToolSet } from "./tool-set.ts"

export type ListedTool = Pick<Tool, "name" | "class" | "description" | "inputSchema">

export async function listTools(context: AppContext): Promise<readonly ListedTool[]> {
  const { home, config, ownPlaces } = context
  const processes = new ProcessSupervisor(thisHost("tools-list").hostId)
  const extensions = new Extensions(home, processes)
  try {
    const { source: knowledge } = new KnowledgeSources(home).for(config)
    const { tools } = await buildToolSet({ home, config, ownPlaces, processes, knowledge, fileMemoryFor })
    return [...tools, ...(await toolsOfExtensions(context, extensions, tools))]
  } finally {
    await extensions.close()
    await processes.close()
  }
}

async function toolsOfExtensions(
  { home, cwd, config, ownPlaces, trusted, noExtensions }: AppContext,
  extensions: Extensions,
  others: readonly Tool[],
): Promise<readonly Tool[]> {
  if (noExtensions === true) return []
  const scrubber = openRedactor(home, config, homeKey(home))
  const place = { config, ownPlaces, cwd, settingsFolder: cwd, trusted, scrubber, env: {} }
  const source = await extensions.for({ ...place, preset: "trusting", named: [] })
  if (source === undefined) return []
  const hooks = source.enter(newSessionId(Date.now()))
  await hooks.loadedWithin(limits.toolsListMs)
  return (await extensionTools(hooks.tools, others)).map(({ tool }) => tool)
}

function fileMemoryFor(): FileMemory {
  return new FileMemory()
}
