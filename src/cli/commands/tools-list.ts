// `turnhouse tools_list`: the tools of a host as a JSON array, in the form that parents of the stdio child expect.
import { ProcessKeeper } from "../../processes/process-keeper.ts"
import { FileMemory } from "../../tools/file-memory.ts"
import type { Tool } from "../../tools/tool.ts"
import type { Args } from "../command.ts"
import { surroundings } from "../surroundings.ts"
import { exitCodes } from "../exit-codes.ts"
import { HouseKnowledge } from "../house-knowledge.ts"
import { houseTools } from "../house-tools.ts"
import { table } from "../table.ts"
import { oneLine, say } from "../terminal.ts"
import { writeJson } from "../write-json.ts"

const summaryWidth = 90

export async function run(args: Args): Promise<number> {
  const tools = await declaredTools()
  if (args.flag("json"))
    writeJson(tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema })))
  else process.stdout.write(table(["TOOL", "CLASS", "DOES"], tools.map(row)))
  return exitCodes.done
}

/** To be looked at, not run: no process is started before a tool is. */
async function declaredTools(): Promise<readonly Tool[]> {
  const { home, config, ownPlaces, warnings } = await surroundings()
  for (const warning of warnings) say(`turnhouse: ${warning}`)
  const processes = new ProcessKeeper("tools-list")
  const { source: knowledge } = new HouseKnowledge(home).for(config)
  const { tools } = await houseTools({ home, config, ownPlaces, processes, knowledge, fileMemoryFor })
  return tools
}

function fileMemoryFor(): FileMemory {
  return new FileMemory()
}

function row({ name, class: toolClass, description }: Tool): readonly string[] {
  return [name, toolClass, oneLine(description.split(/(?<=\.)\s/)[0] ?? "", summaryWidth)]
}
