// Writes a whole file atomically. An existing file is only replaced when the session has read it and it has not changed
// since, so that no content is lost that the model never saw.
import { checks, toolInputSchemas } from "../../contract/generated/tool-inputs.js"
import type { WriteInput } from "../../contract/tool-inputs.ts"
import { defineTool, failed, withoutPreparation } from "../define-tool.ts"
import { fileLocks } from "../../features/locks/tools/file-locks.ts"
import { decodedText, encodingName, utf8, type Encoding } from "../files/encoding.ts"
import { formattedText, type FormattedText } from "./formatter.ts"
import { changeSinceRead, existingFile } from "./replace-file.ts"
import { withFile } from "../files/with-file.ts"
import type { FileToolDeps } from "../files/file-memory.ts"
import { changeResult, storeText } from "./change-file.ts"
import { realPathOf } from "../files/paths.ts"
import { withDiagnostics } from "./with-diagnostics.ts"
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
    if (existing.kind === "none") {
      const refusal = await storeText(file, input.content, { before: undefined }, memory)
      if (refusal !== undefined) return failed(refusal)
      const { text: after, notices } = await formattedText(file, input.content, context, {
        format: deps.format,
        memory,
      })
      const change = { realPath, displayPath, before: undefined, after }
      return withDiagnostics(created(input.content, displayPath, notices), [change], context, deps)
    }
    if (memory.recall(realPath) === undefined) return failed(unreadMessage(displayPath))
    const change = changeSinceRead(memory, file, existing.print)
    if (change !== undefined) return failed(change)
    const before = existing.bytes === undefined ? undefined : decodedText(existing.bytes)
    const encoding = before?.encoding ?? utf8
    const content = withMarkOf(input.content, encoding)
    const refusal = await storeText(file, content, { before: { encoding, stat: existing.stat } }, memory)
    if (refusal !== undefined) return failed(refusal)
    const formatted = await formattedText(file, content, context, { format: deps.format, memory })
    const result = await replaced(formatted, before?.text, displayPath, encoding, context)
    const after = formatted.text
    return withDiagnostics(result, [{ realPath, displayPath, before: before?.text, after }], context, deps)
  })
}

function unreadMessage(displayPath: string): string {
  return `${displayPath} exists and was not read in this session; nothing was done. Read it first.`
}

/** Models do not see a byte order mark, so they do not write one either. */
function withMarkOf(content: string, { hasMark }: Encoding): string {
  return hasMark && !content.startsWith("\ufeff") ? `\ufeff${content}` : content
}

function created(content: string, displayPath: string, notices: readonly string[]): ToolResult {
  const bytes = Buffer.byteLength(content)
  const output = [`Created ${displayPath} (${sizeOf(bytes)}).`, ...notices].join("\n")
  return { outcome: "done", output, details: { path: displayPath, created: true, bytes } }
}

async function replaced(
  { text: content, notices }: FormattedText,
  before: string | undefined,
  displayPath: string,
  encoding: Encoding,
  context: ToolContext,
): Promise<ToolResult> {
  const bytes = Buffer.byteLength(content)
  const details = { path: displayPath, created: false, bytes }
  if (before === content) return { outcome: "done", output: `${displayPath} has this content already.`, details }
  const kept = encoding.label === "utf-8" ? "" : `, ${encodingName(encoding)} as before`
  const title = [`Replaced ${displayPath} (${sizeOf(bytes)}${kept}).`, ...notices].join("\n")
  const isComparable = before !== undefined && before.length + content.length <= comparedBytes
  if (!isComparable) return { outcome: "done", output: title, details }
  return await changeResult(title, before, content, details, context)
}

function sizeOf(bytes: number): string {
  return `${bytes.toLocaleString("en")} bytes`
}
