// Changes one place of a text file. The text to replace must occur exactly once; byte order mark and line endings are
// kept. A file that another program changed since it was read is not changed.
import { checks, toolInputSchemas } from "../../contract/generated/tool-inputs.js"
import type { EditInput } from "../../contract/tool-inputs.ts"
import { defineTool, failed, withoutPreparation } from "../define-tool.ts"
import { fileLocks } from "../../features/locks/tools/file-locks.ts"
import { changeSinceRead, existingFile, loadedBytes, textOf, replaceFile } from "./replace-file.ts"
import { missingFileMessage, withFile } from "../files/with-file.ts"
import type { FileToolDeps } from "../files/file-memory.ts"
import { lineDiff } from "./line-diff.ts"
import { boundText } from "../output-bound.ts"
import { realPathOf } from "../files/paths.ts"
import { replaceOnce, similarLine, type Replacement } from "./replacement.ts"
import type { Tool, ToolContext, ToolResult } from "../tool.ts"

type Ambiguous = Extract<Replacement, { kind: "ambiguous" }>

export function editTool(deps: FileToolDeps): Tool {
  return defineTool<EditInput>({
    name: "edit",
    description:
      "Replaces one piece of text in a file. old_string must occur in the file exactly once: add lines around it until it does.",
    class: "unsafe",
    check: checks.edit,
    inputSchema: toolInputSchemas.edit,
    resources: (input, cwd) => [`file:${realPathOf(input.path, cwd)}`],
    locks: async (input, cwd) => fileLocks(input.path, cwd),
    prepare: async (input, context) => withoutPreparation(context, () => edit(input, context, deps)),
  })
}

async function edit(input: EditInput, context: ToolContext, deps: FileToolDeps): Promise<ToolResult> {
  if (input.old_string === input.new_string) return failed("old_string and new_string are the same; nothing was done.")
  const memory = deps.fileMemoryFor(context.sessionId)
  return withFile(input.path, "changed", context, deps, async (file) => {
    const { realPath, displayPath } = file
    const existing = await existingFile(file)
    if (existing.kind === "no") return failed(existing.reason)
    if (existing.kind === "none")
      return failed(missingFileMessage({ realPath, displayPath, cwd: context.cwd, guardFolders: deps.guardFolders }))
    const change = changeSinceRead(memory, file, existing.print)
    if (change !== undefined) return failed(change)
    if (existing.bytes === undefined)
      return failed(`${displayPath} is larger than ${loadedBytes} bytes; edit it with bash.`)
    const before = textOf(existing.bytes)
    if (before === undefined) return failed(`${displayPath} is not UTF-8 text; nothing was done.`)
    const replacement = replaceOnce(before, input.old_string, input.new_string)
    if (replacement.kind === "ambiguous")
      return failed(ambiguousText(replacement, before, input.old_string, displayPath))
    const replaced = await replaceFile(file, replacement.text, existing.stat)
    if (replaced.kind === "changed") return failed(`${displayPath} was changed at the same moment; nothing was done.`)
    memory.remember(realPath, replaced.fingerprint)
    const { scrubber } = context
    const clean = (text: string) => scrubber?.text(text) ?? text
    const diff = await lineDiff(clean(before), clean(replacement.text))
    return { outcome: "done", output: boundText(`Changed ${displayPath}.\n${diff}`), details: { path: displayPath } }
  })
}

function ambiguousText(found: Ambiguous, text: string, piece: string, shown: string): string {
  if (found.times > 1) {
    const lineNumbers = `${found.lines.join(", ")}${found.times > found.lines.length ? ", …" : ""}`
    return `old_string occurs ${found.times} times in ${shown} (lines ${lineNumbers}); add lines around it until it occurs once.`
  }
  const similar = similarLine(text, piece)
  const hint =
    similar === undefined ? "" : ` Line ${similar} is like its first line: compare white space and what follows.`
  return `old_string does not occur in ${shown}.${hint}`
}
