// Writes a whole file atomically. An existing file is only replaced when the session has read it and it has not changed
// since, so that no content is lost that the model never saw.
import { checks, toolInputSchemas } from "../../contract/generated/tool-inputs.js"
import type { WriteInput } from "../../contract/tool-inputs.ts"
import { defineTool, failed, withoutPreparation } from "../define-tool.ts"
import { fileLocks } from "../../features/locks/tools/file-locks.ts"
import { changeSinceRead, existingFile, textOf, type Existing, replaceFile } from "./replace-file.ts"
import { withFile } from "../files/with-file.ts"
import type { FileToolDeps } from "../files/file-memory.ts"
import { lineDiff } from "./line-diff.ts"
import { boundText } from "../output-bound.ts"
import { realPathOf } from "../files/paths.ts"
import type { Tool, ToolContext, ToolResult } from "../tool.ts"

/** No diff is shown for longer texts. */
const comparedBytes = 1024 * 1024

export function writeTool(deps: FileToolDeps): Tool {
  return defineTool<WriteInput>({
    name: "write",
    description:
      "Writes a file with the given content, making missing folders. An existing file must have been read before.",
    class: "unsafe",
    check: checks.write,
    inputSchema: toolInputSchemas.write,
    resources: (input, cwd) => [`file:${realPathOf(input.path, cwd)}`],
    locks: async (input, cwd) => fileLocks(input.path, cwd),
    prepare: async (input, context) => withoutPreparation(context, () => write(input, context, deps)),
  })
}

async function write(input: WriteInput, context: ToolContext, deps: FileToolDeps): Promise<ToolResult> {
  const memory = deps.fileMemoryFor(context.sessionId)
  return withFile(input.path, "written", context, deps, async (file) => {
    const { realPath, displayPath } = file
    const existing = await existingFile(file)
    if (existing.kind === "no") return failed(existing.reason)
    if (existing.kind === "file") {
      if (memory.recall(realPath) === undefined)
        return failed(`${displayPath} exists and was not read in this session; nothing was done. Read it first.`)
      const change = changeSinceRead(memory, file, existing.print)
      if (change !== undefined) return failed(change)
    }
    const before = existing.kind === "file" ? existing.stat : undefined
    const replaced = await replaceFile(file, input.content, before)
    if (replaced.kind === "changed") return failed(`${displayPath} was changed at the same moment; nothing was done.`)
    memory.remember(realPath, replaced.fingerprint)
    return await writeResult(input.content, displayPath, existing, context)
  })
}

async function writeResult(
  content: string,
  displayPath: string,
  existing: Existing,
  { scrubber }: ToolContext,
): Promise<ToolResult> {
  const bytes = Buffer.byteLength(content)
  const details = { path: displayPath, created: existing.kind === "none", bytes }
  const size = `${bytes.toLocaleString("en")} bytes`
  if (existing.kind !== "file") return { outcome: "done", output: `Created ${displayPath} (${size}).`, details }
  const before = existing.bytes === undefined ? undefined : textOf(existing.bytes)
  const comparable = before !== undefined && before.length + content.length <= comparedBytes
  if (before === content) return { outcome: "done", output: `${displayPath} has this content already.`, details }
  const clean = (text: string) => scrubber?.text(text) ?? text
  const preview = comparable ? `\n${await lineDiff(clean(before), clean(content))}` : ""
  return { outcome: "done", output: boundText(`Replaced ${displayPath} (${size}).${preview}`), details }
}
