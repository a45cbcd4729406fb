// Reads a skill of the session: its instructions, or a file beside them.
import { checks, toolInputSchemas } from "../contract/generated/tool-inputs.js"
import type { SkillInput } from "../contract/tool-inputs.ts"
import { defineTool, failed, withoutPreparation } from "./define-tool.ts"
import type { Tool, ToolContext, ToolResult } from "./tool.ts"

export const skillToolName = "skill"

export const skillTool: Tool = defineTool<SkillInput>({
  name: skillToolName,
  description:
    "Reads the instructions of a skill, or another file of it. Read a skill before you begin a task that its description " +
    "fits, then follow it.",
  class: "read",
  isReadOnly: true,
  inputSchema: toolInputSchemas.skill,
  check: checks.skill,
  prepare: async (input, context) => withoutPreparation(context, () => read(input, context)),
})

async function read({ name, file }: SkillInput, { skills }: ToolContext): Promise<ToolResult> {
  if (skills === undefined) return failed("This session has no skills.")
  const opened = await skills.open(name, file)
  if (opened.kind === "no") return failed(opened.reason)
  const { text, folder, files } = opened
  if (file !== undefined) return { outcome: "done", output: text }
  const others = files.length === 0 ? [] : [`Other files: ${files.join(", ")}`]
  return { outcome: "done", output: [`Folder: ${folder}`, ...others, "", text].join("\n") }
}
