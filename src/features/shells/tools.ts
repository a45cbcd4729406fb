// Tools for background shells: read what one has printed, and end one. They are started by `bash`.
import { checks, toolInputSchemas } from "../../contract/generated/tool-inputs.js"
import { defineTool, failed, withoutPreparation } from "../../tools/define-tool.ts"
import { filterLines } from "../../tools/search/filter-lines.ts"
import type { CommandDeps } from "../../tools/start-command.ts"
import type { Tool, ToolContext, ToolResult } from "../../tools/tool.ts"
import type { Shells } from "../../tools/shell/shells.ts"

export function shellTools(deps: CommandDeps): readonly Tool[] {
  return [outputTool(deps), killTool]
}

function outputTool(deps: CommandDeps): Tool {
  return defineTool({
    name: "bash_output",
    description:
      "Returns what a background shell has printed since the last call, and whether it still runs. With timeout it waits for new output or the end.",
    class: "read",
    isReadOnly: true,
    check: checks.bash_output,
    inputSchema: toolInputSchemas.bash_output,
    prepare: async ({ id, filter, timeout = 0 }, context) =>
      withShells(context, async (shells) => {
        const { signal } = context
        const select = filter === undefined ? undefined : (text: string) => filterLines(deps, context, filter, text)
        const read = await shells.read(id, { waitMs: timeout * 1000, signal, select })
        if (read.kind === "no") return failed(read.reason)
        const text = read.text.replace(/\n$/, "")
        const shown = text === "" ? "(no new output)" : text
        return {
          outcome: "done",
          output: `${shown}\n[${id} ${read.state}.]`,
          details: { isRunning: read.isRunning },
        }
      }),
  })
}

const killTool = defineTool({
  name: "bash_kill",
  description: "Ends a background shell and all processes that it has started.",
  class: "read", // repeating it does no harm, and a person has approved the command that it ends
  check: checks.bash_kill,
  inputSchema: toolInputSchemas.bash_kill,
  prepare: async ({ id }, context) =>
    withShells(context, async (shells) => {
      const killed = await shells.kill(id)
      return killed.kind === "no" ? failed(killed.reason) : { outcome: "done", output: `${id} was killed.` }
    }),
})

function withShells(context: ToolContext, run: (shells: Shells) => Promise<ToolResult>) {
  return withoutPreparation(context, async () =>
    context.shells === undefined ? failed("This session has no background shells.") : run(context.shells),
  )
}
