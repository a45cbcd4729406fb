// Reads a file for the model: lines of text with their numbers, the entries of a folder. A binary file is described
// instead of shown. The session remembers the state of the file for `write` and `edit`.
import type { BigIntStats } from "node:fs"
import { lstat, type FileHandle } from "node:fs/promises"
import { checks, toolInputSchemas } from "../../contract/generated/tool-inputs.js"
import { limits } from "../../contract/limits.ts"
import type { ReadInput } from "../../contract/tool-inputs.ts"
import { cancelled, defineTool, failed, withoutPreparation } from "../define-tool.ts"
import { encodingName, encodingsOf, probedBytes, TextReader, type Encoding } from "../files/encoding.ts"
import { fingerprintOf, hashedBytes, newHash, type Fingerprint, type FileToolDeps } from "../files/file-memory.ts"
import { chunksOf, headOf, openFile } from "../files/open-file.ts"
import { withFile } from "../files/with-file.ts"
import { listFolder } from "../search/ls.ts"
import type { Tool, ToolContext, ToolResult } from "../tool.ts"
import { binaryKind } from "./binary-kind.ts"
import { LineWindow } from "./line-window.ts"

const defaultLines = 2000
const lineLength = 2000
/** Characters of the lines. Their numbers and notices are added; the model gets all of it. */
const MAX_LENGTH = limits.toolOutputForModel - 2 * lineLength

/** Bytes that are read past the size at the start: another program may append as fast as they are read. */
const MAX_GROWTH = 64 * 1024 * 1024

export function readTool(deps: FileToolDeps): Tool {
  return defineTool<ReadInput>({
    name: "read",
    description:
      "Reads a text file and returns its lines with their numbers, or lists a folder. Use offset and limit for a part of a long file.",
    class: "read",
    isReadOnly: true,
    check: checks.read,
    inputSchema: toolInputSchemas.read,
    prepare: async (input, context) => withoutPreparation(context, () => read(input, context, deps)),
  })
}

async function read(input: ReadInput, context: ToolContext, deps: FileToolDeps): Promise<ToolResult> {
  return withFile(input.path, "read", context, deps, async (file) => {
    const { folder, name, realPath, displayPath } = file
    if ((await lstat(folder.at(name))).isDirectory()) return listFolder(file, deps)
    const opened = await openFile(file)
    if (opened.kind === "no") return failed(opened.reason)
    await using handle = opened.handle
    const head = await headOf(handle, probedBytes)
    const found = await readText(handle, opened.stat, encodingsOf(head), input, context)
    if (context.signal.aborted) return cancelled
    if (found === undefined)
      return failed(`${displayPath} is ${binaryKind(head)} of ${size(opened.stat)}; only text can be read.`)
    deps.fileMemoryFor(context.sessionId).remember(realPath, found.fingerprint)
    return readResult(found, input, displayPath)
  })
}

interface FoundText {
  readonly window: LineWindow
  readonly encoding: Encoding
  readonly stat: BigIntStats
  readonly fingerprint: Fingerprint
  /** Another program changed the file in the meantime. */
  readonly hasChanged: boolean
}

/** Undefined when the file is not text. Bytes that are not UTF-8 may be far behind the first ones: then it starts again. */
async function readText(
  handle: FileHandle,
  stat: BigIntStats,
  encodings: readonly Encoding[],
  input: ReadInput,
  context: ToolContext,
): Promise<FoundText | undefined> {
  for (const encoding of encodings) {
    const window = newWindow(input, context)
    const done = await readInto(window, handle, stat, encoding, context.signal)
    if (done === undefined) continue
    const now = await handle.stat({ bigint: true })
    const hasChanged = now.mtimeNs !== stat.mtimeNs || now.size !== stat.size
    return { window, encoding, stat, fingerprint: fingerprintOf(stat, done.hash), hasChanged }
  }
  return undefined
}

function newWindow({ offset = 1, column = 1, limit = defaultLines }: ReadInput, { scrubber }: ToolContext): LineWindow {
  return new LineWindow({ first: offset, column, count: limit, lineLength, length: MAX_LENGTH, scrubber })
}

/** Undefined when the bytes do not fit the encoding. Small files are read to their end, for the hash. */
async function readInto(
  window: LineWindow,
  handle: FileHandle,
  stat: BigIntStats,
  encoding: Encoding,
  signal: AbortSignal,
): Promise<{ readonly hash: string | undefined } | undefined> {
  const hash = stat.size <= hashedBytes ? newHash() : undefined
  const reader = new TextReader(encoding)
  let bytes = 0
  for await (const chunk of chunksOf(handle, signal)) {
    const text = reader.push(chunk)
    if (text === undefined) return undefined
    window.push(text)
    hash?.update(chunk)
    bytes += chunk.length
    if (hash === undefined && window.hasMore) return { hash: undefined }
    if (bytes > Number(stat.size) + MAX_GROWTH) return { hash: undefined }
  }
  const rest = reader.push()
  if (rest === undefined) return undefined
  window.push(rest)
  window.end()
  return { hash: hash?.digest("hex") }
}

function readResult({ window, encoding, stat, hasChanged }: FoundText, input: ReadInput, shown: string): ToolResult {
  const { lines, nextLine, hasMore } = window
  const from = input.offset ?? 1
  const details = { from, to: nextLine - 1, bytes: Number(stat.size), truncated: hasMore }
  if (lines.length === 0 && nextLine > 1)
    return failed(`${shown} has ${nextLine - 1} lines; line ${from} is past its end.`, details)
  const notices = [
    ...(hasMore ? [`[More lines follow; read on with offset ${nextLine}.]`] : []),
    ...(encoding.label === "utf-8" ? [] : [`[The file is ${encodingName(encoding)}; edit and write keep that.]`]),
    ...(hasChanged ? ["[The file was changed while it was read; read it again before you rely on it.]"] : []),
  ]
  const body = lines.length === 0 ? [`${shown} is empty.`] : lines
  return { outcome: "done", output: [...body, ...notices].join("\n"), details }
}

function size(stat: BigIntStats): string {
  return `${stat.size.toLocaleString("en")} bytes`
}
