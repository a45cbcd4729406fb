// Reads lines of a text file, numbered. The file is streamed; a binary file is described instead of shown. The session
// remembers the state of the file for `write` and `edit`.
import type { BigIntStats } from "node:fs"
import type { FileHandle } from "node:fs/promises"
import { checks, toolInputSchemas } from "../../contract/generated/tool-inputs.js"
import { limits } from "../../contract/limits.ts"
import type { ReadInput } from "../../contract/tool-inputs.ts"
import { cancelled, defineTool, failed, withoutPreparation } from "../define-tool.ts"
import { fingerprintOf, hashedBytes, newHash, type Fingerprint, type FileToolDeps } from "../files/file-memory.ts"
import { LineWindow } from "./line-window.ts"
import { chunksOf, openFile } from "../files/open-file.ts"
import { scrubbedStart } from "../output-bound.ts"
import type { Tool, ToolContext, ToolResult } from "../tool.ts"
import { withFile } from "../files/with-file.ts"

const defaultLines = 2000
const lineLength = 2000
/** A NUL in these bytes marks a binary file. */
const probedBytes = 8192

interface FileContent {
  readonly window: LineWindow
  /** What it is, if it is not text. */
  readonly binary: string | undefined
  readonly fingerprint: Fingerprint
}

export function readTool(deps: FileToolDeps): Tool {
  return defineTool<ReadInput>({
    name: "read",
    description:
      "Reads a text file and returns its lines with their numbers. Use offset and limit for a part of a long file.",
    class: "read",
    isReadOnly: true,
    check: checks.read,
    inputSchema: toolInputSchemas.read,
    prepare: async (input, context) => withoutPreparation(context, () => read(input, context, deps)),
  })
}

async function read(input: ReadInput, context: ToolContext, deps: FileToolDeps): Promise<ToolResult> {
  return withFile(input.path, "read", context, deps, async (file) => {
    const { realPath, displayPath } = file
    const opened = await openFile(file)
    if (opened.kind === "no") return failed(opened.reason)
    await using handle = opened.handle
    const content = await readContent(handle, opened.stat, input, context)
    if (context.signal.aborted) return cancelled
    if (content.binary !== undefined)
      return failed(`${displayPath} is ${content.binary} of ${size(opened.stat)}; only text can be read.`)
    deps.fileMemoryFor(context.sessionId).remember(realPath, content.fingerprint)
    return readResult(content.window, input, displayPath, opened.stat)
  })
}

async function readContent(
  handle: FileHandle,
  stat: BigIntStats,
  input: ReadInput,
  context: ToolContext,
): Promise<FileContent> {
  const window = new LineWindow({
    first: input.offset ?? 1,
    count: input.limit ?? defaultLines,
    lineLength,
    bytes: limits.toolOutputBytes - 4 * lineLength,
    scrubCut: (line) => scrubbedStart(line, context.scrubber),
  })
  const hash = newHash()
  const decoder = new TextDecoder("utf-8", { fatal: true })
  const hashed = stat.size <= hashedBytes
  let first: Uint8Array | undefined
  let isComplete = true
  for await (const chunk of chunksOf(handle, context.signal)) {
    first ??= Buffer.from(chunk.subarray(0, probedBytes))
    const text = first.includes(0) ? undefined : decodedOr(() => decoder.decode(chunk, { stream: true }))
    if (text === undefined) return { window, binary: binaryKind(first), fingerprint: fingerprintOf(stat, undefined) }
    window.push(text)
    if (hashed) hash.update(chunk)
    isComplete = hashed || !window.hasMore
    if (!isComplete) break // the rest is not shown
  }
  const rest = isComplete ? decodedOr(() => decoder.decode()) : ""
  if (rest === undefined && first !== undefined)
    return { window, binary: binaryKind(first), fingerprint: fingerprintOf(stat, undefined) }
  window.end()
  return { window, binary: undefined, fingerprint: fingerprintOf(stat, hashed ? hash.digest("hex") : undefined) }
}

/** Undefined when the bytes are not UTF-8. */
function decodedOr(decode: () => string): string | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}

function readResult(window: LineWindow, input: ReadInput, displayPath: string, stat: BigIntStats): ToolResult {
  const { lines, nextLine, hasMore } = window
  const from = input.offset ?? 1
  const details = { from, to: nextLine - 1, bytes: Number(stat.size), truncated: hasMore }
  if (lines.length > 0) {
    const notice = hasMore ? `\n[More lines follow; read on with offset ${nextLine}.]` : ""
    return { outcome: "done", output: lines.join("\n") + notice, details }
  }
  if (nextLine === 1) return { outcome: "done", output: `${displayPath} is empty.`, details }
  return failed(`${displayPath} has ${nextLine - 1} lines; line ${from} is past its end.`, details)
}

function size(stat: BigIntStats): string {
  return `${stat.size.toLocaleString("en")} bytes`
}

const signatures: readonly (readonly [hex: string, kind: string])[] = [
  ["89504e470d0a1a0a", "a PNG image"],
  ["ffd8ff", "a JPEG image"],
  ["47494638", "a GIF image"],
  ["52494646........57454250", "a WebP image"],
  ["25504446", "a PDF document"],
  ["504b0304", "a ZIP archive (or a document that is one)"],
  ["1f8b", "gzip data"],
  ["28b52ffd", "zstd data"],
  ["fd377a585a00", "xz data"],
  ["425a68", "bzip2 data"],
  ["7f454c46", "an ELF program or library"],
  ["cffaedfe", "a Mach-O program or library"],
  ["0061736d", "a WebAssembly module"],
  ["53514c69746520666f726d6174203300", "an SQLite database"],
  ["4f676753", "an Ogg file"],
  ["494433", "an MP3 file"],
  ["........66747970", "an MP4 file"],
  ["fffe", "UTF-16 text"],
  ["feff", "UTF-16 text"],
]

function binaryKind(first: Uint8Array): string {
  const hex = Buffer.from(first.subarray(0, 32)).toString("hex")
  const known = signatures.find(([signature]) => new RegExp(`^${signature}`).test(hex))
  if (known !== undefined) return known[1]
  return first.subarray(0, 8192).includes(0) ? "binary data" : "text that is not UTF-8, or binary data"
}
