// `turnhouse tools_list`: the tools of a host as a JSON array, in the form that parents of the stdio child expect.
// Extensions are started for it, since only running ones list their tools.
import { trustOf } from "../../../config/trust.ts"
import { limits } from "../../../contract/limits.ts"
import { newSessionId } from "../../../host/new-ids.ts"
import { thisHost } from "../../../log/process-identity.ts"
import { ProcessKeeper } from "../../../processes/process-keeper.ts"
import { extensionTools } from "../../../runner/hooks/extension-tools.ts"
import { homeKey } from "../../../secrets/home-key.ts"
import { FileMemory } from "../../../tools/file-memory.ts"
import type { Tool } from "../../../tools/tool.ts"
import type { Args } from "../../command.ts"
import { contextOf, printWarnings } from "../../context-options.ts"
import { exitCodes } from "../../../app/app-fault.ts"
import { Extensions } from "../../../app/extensions/extensions.ts"
import { KnowledgeSources } from "../../../app/settings/knowledge.ts"
import { buildToolSet } from "../../../app/settings/tool-set.ts"
import { openRedactor } from "../../../app/secrets/open-redactor.ts"
import type { AppContext } from "../../../app/context.ts"
import { table, type Columns, writeJson } from "../../output.ts"
import { oneLine } from "../../../contract/text/text.ts"

const summaryWidth = 90

export async function run(args: Args): Promise<number> {
  const context = await contextOf(args)
  printWarnings(context)
  const processes = new ProcessKeeper(thisHost("tools-list").hostId)
  const extensions = new Extensions(context.home, processes)
  try {
    const declared = await declaredTools(context, processes)
    show([...declared, ...(await broughtTools(context, extensions, declared))], args.flag("json"))
    return exitCodes.done
  } finally {
    await extensions.close()
    await processes.close()
  }
}

const shownColumns: Columns<Tool> = {
  TOOL: ({ name }) => name,
  CLASS: (tool) => tool.class,
  DOES: ({ description }) => oneLine(description.split(/(?<=\.)\s/)[0] ?? "", summaryWidth),
}

function show(tools: readonly Tool[], json: boolean): void {
  if (json)
    writeJson(tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema })))
  else process.stdout.write(table(tools, shownColumns))
}

async function declaredTools(
  { home, config, ownPlaces }: AppContext,
  processes: ProcessKeeper,
): Promise<readonly Tool[]> {
  const { source: knowledge } = new KnowledgeSources(home).for(config)
  const { tools } = await buildToolSet({ home, config, ownPlaces, processes, knowledge, fileMemoryFor })
  return tools
}

async function broughtTools(
  context: AppContext,
  extensions: Extensions,
  others: readonly Tool[],
): Promise<readonly Tool[]> {
  const { home, cwd, config, ownPlaces, noExtensions } = context
  if (noExtensions === true) return []
  const trusted = (await trustOf(home, cwd)).state === "trusted"
  const scrubber = openRedactor(home, config, homeKey(home))
  const place = { config, ownPlaces, cwd, settingsFolder: cwd, trusted, scrubber }
  const source = await extensions.for({ ...place, preset: "trusting", named: [] })
  if (source === undefined) return []
  const hooks = source.enter(newSessionId(Date.now()))
  await hooks.loadedWithin(limits.toolsListMs)
  return (await extensionTools(hooks.tools, others)).map(({ tool }) => tool)
}

function fileMemoryFor(): FileMemory {
  return new FileMemory()
}
