// Reads a file for the model: lines of text with their numbers, an image, the text of a document, the entries of a
// folder. Other files are described instead of shown. The session remembers the state of the file for `write` and `edit`.
import { lstatSync, type BigIntStats } from "node:fs"
import type { FileHandle } from "node:fs/promises"
import { checks, toolInputSchemas } from "../../contract/generated/tool-inputs.js"
import { limits } from "../../contract/limits.ts"
import type { ReadInput } from "../../contract/tool-inputs.ts"
import { cancelled, defineTool, failed, withoutPreparation } from "../define-tool.ts"
import { encodingName, encodingsOf, probedBytes } from "../files/encoding.ts"
import { fingerprintOf, newHash, type FileToolDeps } from "../files/file-memory.ts"
import { beginningOf, openFile, wholeFile, type Beginning } from "../files/open-file.ts"
import { withFile, type HeldFile } from "../files/with-file.ts"
import { listFolder } from "../search/ls.ts"
import type { Tool, ToolContext, ToolResult } from "../tool.ts"
import { binaryKind } from "./binary-kind.ts"
import { documentKind, MAX_DOCUMENT_BYTES, type DocumentKind } from "./document-kind.ts"
import { imageInfo, imageTypeOf, type ImageInfo } from "./image.ts"
import { LineWindow } from "./line-window.ts"
import { readText, type FoundText } from "./text-file.ts"

const defaultLines = 2000
const lineLength = 2000
/** Characters of the lines. Their numbers and notices are added; the model gets all of it. */
const MAX_LENGTH = limits.toolOutputForModel - 2 * lineLength

export function readTool(deps: FileToolDeps): Tool {
  return defineTool<ReadInput>({
    name: "read",
    description:
      "Reads a file: a text with line numbers, an image, the text of a PDF file or a notebook; or lists a folder. Use offset and limit for a part of a long file.",
    class: "read",
    isReadOnly: true,
    check: checks.read,
    inputSchema: toolInputSchemas.read,
    prepare: async (input, context) => withoutPreparation(context, () => read(input, context, deps)),
  })
}

/** A read of one file that is open. */
interface Reading {
  readonly file: HeldFile
  readonly handle: FileHandle
  readonly stat: BigIntStats
  readonly begin: Beginning
  readonly input: ReadInput
  readonly context: ToolContext
  readonly deps: FileToolDeps
}

async function read(input: ReadInput, context: ToolContext, deps: FileToolDeps): Promise<ToolResult> {
  return withFile(input.path, "read", context, deps, async (file) => {
    if (lstatSync(file.folder.at(file.name)).isDirectory()) return listFolder(file, deps)
    const opened = await openFile(file)
    if (opened.kind === "no") return failed(opened.reason)
    await using handle = opened.handle
    const begin = await beginningOf(handle, opened.stat)
    const reading: Reading = { file, handle, stat: opened.stat, begin, input, context, deps }
    const result = await readByKind(reading)
    return context.signal.aborted ? cancelled : result
  })
}

async function readByKind(reading: Reading): Promise<ToolResult> {
  const { file, input } = reading
  const head = headOf(reading)
  const imageType = imageTypeOf(head)
  if (imageType !== undefined) return readImage(reading, imageType)
  const kind = documentKind(file.name, head)
  const shown = kind === undefined ? undefined : await readDocument(reading, kind)
  if (shown !== undefined) return shown
  return input.page === undefined ? readLines(reading) : failed(`${file.displayPath} has no pages; use offset.`)
}

function headOf({ begin }: Reading): Uint8Array {
  return begin.bytes.subarray(0, probedBytes)
}

async function readLines(reading: Reading): Promise<ToolResult> {
  const { file, handle, stat, begin, input, context, deps } = reading
  const { displayPath, realPath } = file
  const head = headOf(reading)
  const newWindow = () => lineWindow(input, context)
  const found = await readText({ handle, stat, begin }, encodingsOf(head), newWindow, context.signal)
  if (found === undefined) return failed(`${displayPath} is ${binaryKind(head)} of ${size(stat)}; it cannot be shown.`)
  deps.fileMemoryFor(context.sessionId).remember(realPath, found.fingerprint)
  return linesResult(found.window, displayPath, { from: input.offset ?? 1, stat, notices: noticesOf(found) })
}

function lineWindow({ offset = 1, column = 1, limit = defaultLines }: ReadInput, { scrubber }: ToolContext) {
  return new LineWindow({ first: offset, column, count: limit, lineLength, length: MAX_LENGTH, scrubber })
}

function noticesOf({ encoding, hasChanged }: FoundText): string[] {
  return [
    ...(encoding.label === "utf-8" ? [] : [`The file is ${encodingName(encoding)}; edit and write keep that.`]),
    ...(hasChanged ? ["The file was changed while it was read; read it again before you rely on it."] : []),
  ]
}

interface Shown {
  readonly from: number
  readonly stat: BigIntStats
  readonly notices: readonly string[]
}

function linesResult(window: LineWindow, displayPath: string, { from, stat, notices }: Shown): ToolResult {
  const { lines, nextLine, hasMore } = window
  const details = { from, to: nextLine - 1, bytes: Number(stat.size), truncated: hasMore }
  if (lines.length === 0 && nextLine > 1)
    return failed(`${displayPath} has ${nextLine - 1} lines; line ${from} is past its end.`, details)
  const more = hasMore ? [`More lines follow; read on with offset ${nextLine}.`] : []
  const body = lines.length === 0 ? [`${displayPath} is empty.`] : lines
  const output = [...body, ...[...more, ...notices].map((notice) => `[${notice}]`)].join("\n")
  return { outcome: "done", output, details }
}

async function readImage(reading: Reading, mediaType: ImageInfo["mediaType"]): Promise<ToolResult> {
  const { file, handle, stat, begin, context, deps } = reading
  const { name, displayPath, realPath } = file
  if (stat.size > limits.toolImageBytes)
    return failed(
      `${displayPath} is an image of ${size(stat)}; at most ${limits.toolImageBytes.toLocaleString("en")} can be sent. Make it smaller first.`,
    )
  const bytes = await wholeFile(handle, begin, limits.toolImageBytes)
  if (bytes === undefined) return failed(`${displayPath} cannot be shown: it grows while it is read.`)
  const info = imageInfo(bytes, mediaType)
  if (typeof info === "string") return failed(`${displayPath} cannot be shown: ${info}.`)
  deps.fileMemoryFor(context.sessionId).remember(realPath, fingerprintOf(stat, hashOf(bytes)))
  const { width, height } = info
  return {
    outcome: "done",
    output: `${displayPath}: ${mediaType}, ${width} × ${height} pixels, ${size(stat)}.`,
    images: [{ name, mediaType, data: bytes.toString("base64") }],
    details: { bytes: bytes.length, width, height },
  }
}

/** Undefined where the file is not such a document after all. */
async function readDocument(reading: Reading, kind: DocumentKind): Promise<ToolResult | undefined> {
  const { file, handle, stat, begin, input, context, deps } = reading
  const { displayPath, realPath } = file
  const bytes = stat.size > MAX_DOCUMENT_BYTES ? undefined : await wholeFile(handle, begin, MAX_DOCUMENT_BYTES)
  if (bytes === undefined)
    return kind === "pdf" ? failed(`${displayPath} is a PDF file of ${size(stat)}, which is too large.`) : undefined
  const { documentText, lineOfPage } = await import("./document.ts")
  const shown = await documentText(kind, bytes, context.signal)
  if (shown === undefined) return undefined
  if (shown.kind === "no") return failed(`${displayPath} cannot be read as a PDF file: ${shown.reason}.`)
  const from = input.page === undefined ? (input.offset ?? 1) : lineOfPage(shown.text, input.page)
  if (from === undefined) return failed(`${displayPath} has no page ${input.page}. ${shown.notice}`)
  deps.fileMemoryFor(context.sessionId).remember(realPath, fingerprintOf(stat, hashOf(bytes)))
  const window = lineWindow({ ...input, offset: from }, context)
  window.push(shown.text)
  window.end()
  return linesResult(window, displayPath, { from, stat, notices: [shown.notice] })
}

function hashOf(bytes: Buffer): string {
  return newHash().update(bytes).digest("hex")
}

function size(stat: BigIntStats): string {
  return `${stat.size.toLocaleString("en")} bytes`
}
