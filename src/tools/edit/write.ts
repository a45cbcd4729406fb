// Writes a whole file atomically. An existing file is only replaced when the session has read it and it has not changed
// since, so that no content is lost that the model never saw.
import { existsSync, type BigIntStats } from "node:fs"
import { isAbsolute } from "node:path"
import { checks, toolInputSchemas } from "../../contract/generated/tool-inputs.js"
import type { WriteInput } from "../../contract/tool-inputs.ts"
import type { FileChange } from "../../contract/values.ts"
import { defineTool, failed, withoutPreparation } from "../define-tool.ts"
import { fileLocks } from "../../features/locks/tools/file-locks.ts"
import { decodedText, encodingName, utf8, type Encoding } from "../files/encoding.ts"
import { formattedText, type FormattedText } from "./formatter.ts"
import { changeSinceRead, existingFile } from "./replace-file.ts"
import { withFile, type HeldFile } from "../files/with-file.ts"
import type { FileMemory, FileToolDeps } from "../files/file-memory.ts"
import { changeOf, changeResult, expectedChanges, isComparable, storeText } from "./change-file.ts"
import { locate, realPathOf } from "../files/paths.ts"
import { withDiagnostics } from "./with-diagnostics.ts"
import type { ExpectedChanges, Tool, ToolContext, ToolResult } from "../tool.ts"

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
    changes: (input, context) => changesOf(input, context, deps),
  })
}

async function write(input: WriteInput, context: ToolContext, deps: FileToolDeps): Promise<ToolResult> {
  const memory = deps.fileMemoryFor(context.sessionId)
  return withFile(input.path, "written", context, deps, async (file) => {
    const { realPath, displayPath } = file
    const replaced = await replacedText(input, file, memory)
    if (replaced.kind === "no") return failed(replaced.reason)
    if (replaced.kind === "none") {
      const refusal = await storeText(file, input.content, { before: undefined }, memory)
      if (refusal !== undefined) return failed(refusal)
      const { text: after, notices } = await formattedText(file, input.content, context, {
        format: deps.format,
        memory,
      })
      const change = { realPath, displayPath, before: undefined, after }
      return withDiagnostics(created(input.content, displayPath, notices), [change], context, deps)
    }
    const { before, content, encoding, stat } = replaced
    const refusal = await storeText(file, content, { before: { encoding, stat } }, memory)
    if (refusal !== undefined) return failed(refusal)
    const formatted = await formattedText(file, content, context, { format: deps.format, memory })
    const result = await resultOf(formatted, before, displayPath, encoding, context)
    const after = formatted.text
    return withDiagnostics(result, [{ realPath, displayPath, before, after }], context, deps)
  })
}

/** An existing file that may be replaced, and the text that replaces its own. */
type ReplacedText =
  | {
      readonly kind: "text"
      /** Undefined if it is too large or not text. */
      readonly before: string | undefined
      readonly content: string
      readonly encoding: Encoding
      readonly stat: BigIntStats
    }
  | { readonly kind: "none" }
  | { readonly kind: "no"; readonly reason: string }

async function replacedText(input: WriteInput, file: HeldFile, memory: FileMemory): Promise<ReplacedText> {
  const existing = await existingFile(file)
  if (existing.kind !== "file") return existing
  const { realPath, displayPath } = file
  if (memory.recall(realPath) === undefined) return { kind: "no", reason: unreadMessage(displayPath) }
  const reason = changeSinceRead(memory, file, existing.print)
  if (reason !== undefined) return { kind: "no", reason }
  const before = existing.bytes === undefined ? undefined : decodedText(existing.bytes)
  const encoding = before?.encoding ?? utf8
  const content = withMarkOf(input.content, encoding)
  return { kind: "text", before: before?.text, content, encoding, stat: existing.stat }
}

/** Of a file outside the working folder the model does not learn before an approval that it exists. */
async function changesOf(input: WriteInput, context: ToolContext, deps: FileToolDeps): Promise<ExpectedChanges> {
  const located = locate(input.path, context.cwd, deps.guardPath)
  if (located.kind === "no") return { kind: "unknown" }
  if (!existsSync(located.realPath)) return { kind: "changes", changes: [newFile(located.displayPath, input.content)] }
  return expectedChanges(input.path, context, deps, async (file) => {
    const replaced = await replacedText(input, file, deps.fileMemoryFor(context.sessionId))
    if (replaced.kind === "no" && !isAbsolute(file.displayPath)) return replaced
    if (replaced.kind !== "text" || replaced.before === undefined) return { kind: "unknown" }
    return changeOf(file.displayPath, replaced.before, replaced.content, context)
  })
}

function newFile(path: string, content: string): FileChange {
  const added = content === "" ? 0 : content.replace(/\n$/, "").split("\n").length
  return { path, added, removed: 0, lines: [], isNew: true }
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

async function resultOf(
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
  if (before === undefined || !isComparable(before, content)) return { outcome: "done", output: title, details }
  return await changeResult(title, before, content, details, context)
}

function sizeOf(bytes: number): string {
  return `${bytes.toLocaleString("en")} bytes`
}
