// `turnhouse tools_list`: the tools of a host as a JSON array, in the form that parents of the stdio child expect.
import { exitCodes } from "../../../app/app-fault.ts"
import { listTools, type ListedTool } from "../../../app/settings/list-tools.ts"
import { printNotice } from "../../../app/terminal.ts"
import { oneLine } from "../../../contract/text/text.ts"
import type { Args } from "../../command.ts"
import { contextWithWarnings } from "../../context-options.ts"
import { table, writeJson, type Columns } from "../../output.ts"

const summaryWidth = 90

const shownColumns: Columns<ListedTool> = {
  TOOL: ({ name }) => name,
  CLASS: (tool) => tool.class,
  DOES: ({ description }) => oneLine(description.split(/(?<=\.)\s/)[0] ?? "", summaryWidth),
}

export async function run(args: Args): Promise<number> {
  const context = await contextWithWarnings(args)
  const seconds = args.seconds("wait")
  const tools = await listTools(context, {
    warn: (sentence) => printNotice(oneLine(`turnhouse: ${sentence}`, Infinity)),
    waitMs: seconds === undefined ? undefined : seconds * 1000,
  })
  if (args.flag("json"))
    writeJson(tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema })))
  else process.stdout.write(table(tools, shownColumns))
  return exitCodes.done
}
