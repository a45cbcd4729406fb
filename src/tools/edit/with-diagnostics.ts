// Adds what language servers report about changed files to the result of a tool.
import { isJsonObject } from "../../contract/json-object.ts"
import { diagnosticsField } from "../../contract/rules/file-diff.ts"
import type { FileToolDeps } from "../files/file-memory.ts"
import type { FileChange } from "../diagnostics/language-client.ts"
import { boundText } from "../output-bound.ts"
import type { ToolContext, ToolResult } from "../tool.ts"

export async function withDiagnostics(
  result: ToolResult,
  changes: readonly FileChange[],
  context: ToolContext,
  { diagnose }: Pick<FileToolDeps, "diagnose">,
): Promise<ToolResult> {
  if (diagnose === undefined) return result
  const text = await diagnose(changes, context)
  if (text === "") return result
  const details = isJsonObject(result.details) ? result.details : {}
  const output = boundText(`${result.output}\n${text}`)
  return { ...result, output, details: { ...details, [diagnosticsField]: text } }
}
