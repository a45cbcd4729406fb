// Writes a whole file in one step. A file that exists is only replaced when this session has read it and nobody has
// changed it since, so that no work is lost that the model never saw.
import { basename, dirname } from "node:path"
import { checks, toolInputSchemas } from "../contract/generated/tool-inputs.js"
import type { WriteInput } from "../contract/tool-inputs.ts"
import { defineTool, failed, inOneGo } from "./define-tool.ts"
import { fileLocks } from "../features/locks/tools/file-locks.ts"
import { changeSinceRead, existingFile, textOf, type Existing, replaceFile } from "./replace-file.ts"
import { withFileFaults } from "./file-faults.ts"
import type { FileToolDeps } from "./file-memory.ts"
import { holdFolder } from "./held-folder.ts"
import { lineDiff } from "./line-diff.ts"
import { boundText } from "./output-bound.ts"
import { locate, realPathOf } from "./paths.ts"
import type { Tool, ToolContext, ToolResult } from "./tool.ts"

/** Longer files are replaced without a look at what changed. */
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
    prepare: async (input, context) => inOneGo(context, () => write(input, context, deps)),
  })
}

async function write(input: WriteInput, context: ToolContext, deps: FileToolDeps): Promise<ToolResult> {
  const located = locate(input.path, context.cwd, deps.guardPath)
  if (located.kind === "no") return failed(located.why)
  const { real, shown } = located
  const memory = deps.fileMemoryFor(context.sessionId)
  const { guardFolders } = deps
  return withFileFaults({ real, shown, verb: "written", cwd: context.cwd, guardFolders }, async () => {
    using folder = holdFolder(dirname(real), { guardFolders, create: true })
    const existing = await existingFile(folder, basename(real), shown)
    if (existing.kind === "no") return failed(existing.why)
    if (existing.kind === "file") {
      if (memory.recall(real) === undefined)
        return failed(`${shown} exists and was not read in this session; nothing was done. Read it first.`)
      const change = changeSinceRead(memory, real, shown, existing.print)
      if (change !== undefined) return failed(change)
    }
    const before = existing.kind === "file" ? existing.stat : undefined
    const replaced = await replaceFile(folder, basename(real), input.content, before)
    if (replaced.kind === "changed") return failed(`${shown} was changed at the same moment; nothing was done.`)
    memory.remember(real, replaced.fingerprint)
    return await tell(input.content, shown, existing, context)
  })
}

async function tell(
  content: string,
  shown: string,
  existing: Existing,
  { scrubber }: ToolContext,
): Promise<ToolResult> {
  const bytes = Buffer.byteLength(content)
  const details = { path: shown, created: existing.kind === "none", bytes }
  const size = `${bytes.toLocaleString("en")} bytes`
  if (existing.kind !== "file") return { outcome: "done", output: `Created ${shown} (${size}).`, details }
  const before = existing.bytes === undefined ? undefined : textOf(existing.bytes)
  const comparable = before !== undefined && before.length + content.length <= comparedBytes
  if (before === content) return { outcome: "done", output: `${shown} has this content already.`, details }
  const clean = (text: string) => scrubber?.text(text) ?? text
  const preview = comparable ? `\n${await lineDiff(clean(before), clean(content))}` : ""
  return { outcome: "done", output: boundText(`Replaced ${shown} (${size}).${preview}`), details }
}
