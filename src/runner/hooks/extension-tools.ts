// Tools of extensions, as the runner runs tools. They are always unsafe: a call is never repeated. An input whose schema
// cannot be compiled is left to the extension to check.
import { isJson, isJsonObject } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { ExtensionTool } from "../../hooks/session-hooks.ts"
import { modelNames } from "../../hooks/bus/tool-names.ts"
import { defineTool, failed, withoutPreparation } from "../../tools/define-tool.ts"
import { withDirective } from "../../tools/defined-tool.ts"
import { compileCheck, type Schema } from "../../tools/input-check.ts"
import { BoundedOutput } from "../../tools/output-bound.ts"
import type { Tool, ToolContext, ToolResult } from "../../tools/tool.ts"

export interface NamedTool {
  readonly tool: Tool
  readonly runtimeName: string
}

export async function extensionTools(
  found: readonly ExtensionTool[],
  others: readonly Tool[],
): Promise<readonly NamedTool[]> {
  const names = modelNames(
    found.map(({ runtimeName }) => runtimeName),
    others.map(({ name }) => name),
  )
  return Promise.all(
    found.map(async (extensionTool) => {
      const { runtimeName } = extensionTool
      return { runtimeName, tool: await toolOf(names.get(runtimeName) ?? runtimeName, extensionTool) }
    }),
  )
}

async function toolOf(name: string, extensionTool: ExtensionTool): Promise<Tool> {
  const inputSchema: Schema = {
    type: "object",
    ...(isJsonObject(extensionTool.inputSchema) ? extensionTool.inputSchema : {}),
  }
  const compiled = await compileCheck(inputSchema)
  const tool = defineTool<JsonValue>({
    name,
    description: extensionTool.description,
    class: "unsafe",
    inputSchema,
    check: compiled.kind === "check" ? compiled.check : isJson,
    prepare: async (input, context) => withoutPreparation(context, () => run(extensionTool, input, context)),
  })
  return { ...tool, isExternal: true }
}

async function run(extensionTool: ExtensionTool, input: JsonValue, context: ToolContext): Promise<ToolResult> {
  const { signal, scrubber } = context
  const answer = await extensionTool.call(input, signal)
  if (answer.kind === "failed") return failed(answer.reason)
  const output = new BoundedOutput()
  output.push(Buffer.from(answer.output))
  return withDirective({ outcome: "done", output: output.text(scrubber) }, context)
}
