// Changes one place of a text file. The text to replace must stand there exactly once; a byte order mark and the line
// ends of the file stay as they are. A file that somebody changed since it was read is not touched.
import { basename, dirname } from "node:path"
import { checks, toolInputSchemas } from "../contract/generated/tool-inputs.js"
import type { EditInput } from "../contract/tool-inputs.ts"
import { defineTool, failed, inOneGo } from "./define-tool.ts"
import { fileLocks } from "../features/locks/tools/file-locks.ts"
import { changeSinceRead, existingFile, loadedBytes, textOf, replaceFile } from "./replace-file.ts"
import { missing, withFileFaults } from "./file-faults.ts"
import type { FileToolDeps } from "./file-memory.ts"
import { holdFolder } from "./held-folder.ts"
import { lineDiff } from "./line-diff.ts"
import { boundText } from "./output-bound.ts"
import { locate, realPathOf } from "./paths.ts"
import { replaceOnce, similarLine, type Replacement } from "./replacement.ts"
import type { Tool, ToolContext, ToolResult } from "./tool.ts"

type Ambiguous = Extract<Replacement, { kind: "ambiguous" }>

export function editTool(deps: FileToolDeps): Tool {
  return defineTool<EditInput>({
    name: "edit",
    description:
      "Replaces one piece of text in a file. old_string must stand in the file exactly once: add lines around it until it does.",
    class: "unsafe",
    check: checks.edit,
    inputSchema: toolInputSchemas.edit,
    resources: (input, cwd) => [`file:${realPathOf(input.path, cwd)}`],
    locks: async (input, cwd) => fileLocks(input.path, cwd),
    prepare: async (input, context) => inOneGo(context, () => edit(input, context, deps)),
  })
}

async function edit(input: EditInput, context: ToolContext, deps: FileToolDeps): Promise<ToolResult> {
  if (input.old_string === input.new_string) return failed("old_string and new_string are the same; nothing was done.")
  const located = locate(input.path, context.cwd, deps.guardPath)
  if (located.kind === "no") return failed(located.why)
  const { real, shown } = located
  const memory = deps.fileMemoryFor(context.sessionId)
  const { guardFolders } = deps
  const { cwd } = context
  return withFileFaults({ real, shown, verb: "changed", cwd, guardFolders }, async () => {
    using folder = holdFolder(dirname(real), { guardFolders })
    const existing = await existingFile(folder, basename(real), shown)
    if (existing.kind === "no") return failed(existing.why)
    if (existing.kind === "none") return failed(missing({ real, shown, cwd, guardFolders }))
    const change = changeSinceRead(memory, real, shown, existing.print)
    if (change !== undefined) return failed(change)
    if (existing.bytes === undefined) return failed(`${shown} is larger than ${loadedBytes} bytes; edit it with bash.`)
    const before = textOf(existing.bytes)
    if (before === undefined) return failed(`${shown} is not UTF-8 text; nothing was done.`)
    const replacement = replaceOnce(before, input.old_string, input.new_string)
    if (replacement.kind === "ambiguous") return failed(notOnce(replacement, before, input.old_string, shown))
    const replaced = await replaceFile(folder, basename(real), replacement.text, existing.stat)
    if (replaced.kind === "changed") return failed(`${shown} was changed at the same moment; nothing was done.`)
    memory.remember(real, replaced.fingerprint)
    const { scrubber } = context
    const clean = (text: string) => scrubber?.text(text) ?? text
    return await tell(clean(before), clean(replacement.text), shown)
  })
}

function notOnce(found: Ambiguous, text: string, piece: string, shown: string): string {
  if (found.times > 1) {
    const named = `${found.lines.join(", ")}${found.times > found.lines.length ? ", …" : ""}`
    return `old_string stands ${found.times} times in ${shown} (lines ${named}); add lines around it until it stands there once.`
  }
  const similar = similarLine(text, piece)
  const hint =
    similar === undefined ? "" : ` Line ${similar} is like its first line: compare white space and what follows.`
  return `old_string does not stand in ${shown}.${hint}`
}

async function tell(before: string, after: string, shown: string): Promise<ToolResult> {
  return {
    outcome: "done",
    output: boundText(`Changed ${shown}.\n${await lineDiff(before, after)}`),
    details: { path: shown },
  }
}
