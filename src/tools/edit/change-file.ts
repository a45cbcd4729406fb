// Changes a text file for `edit`, `write` and `apply_patch`: what the session knows of it, its encoding, the atomic
// replacement, and the diff that is shown.
import type { BigIntStats } from "node:fs"
import type { JsonObject } from "../../contract/json-object.ts"
import { diffField } from "../../contract/rules/file-diff.ts"
import { decodedText, encodedText, encodingName, utf8, type Encoding } from "../files/encoding.ts"
import type { FileMemory, FileToolDeps } from "../files/file-memory.ts"
import { missingFileMessage, withFile, type HeldFile } from "../files/with-file.ts"
import { boundText } from "../output-bound.ts"
import type { ExpectedChanges, ToolContext, ToolResult } from "../tool.ts"
import { decisionDiff, diffText, fileDiff } from "./line-diff.ts"
import { changeSinceRead, existingFile, loadedBytes, replaceFile } from "./replace-file.ts"

export interface TextFile {
  /** With its byte order mark. */
  readonly text: string
  readonly bytes: Buffer
  readonly encoding: Encoding
  readonly stat: BigIntStats
}

export type Current =
  | ({ readonly kind: "text" } & TextFile)
  | { readonly kind: "none"; readonly reason: string }
  | { readonly kind: "no"; readonly reason: string }

/** The current text of a file that is to be changed. */
export async function currentText(file: HeldFile, context: ToolContext, deps: FileToolDeps): Promise<Current> {
  const { realPath, displayPath } = file
  const existing = await existingFile(file)
  if (existing.kind === "no") return existing
  if (existing.kind === "none") {
    const reason = missingFileMessage({ realPath, displayPath, cwd: context.cwd, guardFolders: deps.guardFolders })
    return { kind: "none", reason }
  }
  const change = changeSinceRead(deps.fileMemoryFor(context.sessionId), file, existing.print)
  if (change !== undefined) return { kind: "no", reason: change }
  const { bytes, stat } = existing
  if (bytes === undefined)
    return { kind: "no", reason: `${displayPath} is larger than ${loadedBytes} bytes; edit it with bash.` }
  const decoded = decodedText(bytes)
  if (decoded === undefined) return { kind: "no", reason: `${displayPath} is not text; nothing was done.` }
  return { kind: "text", ...decoded, bytes, stat }
}

type KnownFile = Pick<TextFile, "encoding" | "stat">

/** Undefined when it is stored, or else why it is not. `like` is the file whose encoding, mode and owner are kept. */
export async function storeText(
  file: HeldFile,
  text: string,
  { before, like = before }: { readonly before: KnownFile | undefined; readonly like?: KnownFile | undefined },
  memory: FileMemory,
): Promise<string | undefined> {
  const { realPath, displayPath } = file
  const encoding = like?.encoding ?? utf8
  const encoded = encodedText(text, encoding)
  if (encoded.kind === "no")
    return `${displayPath} is ${encodingName(encoding)}, which has no '${encoded.character}'; nothing was done. Use other characters, or convert the file to UTF-8 first.`
  const replaced = await replaceFile(file, encoded.bytes, before?.stat, like?.stat)
  if (replaced.kind === "changed") return `${displayPath} was changed at the same moment; nothing was done.`
  memory.remember(realPath, replaced.fingerprint)
  return undefined
}

/** The result of a change: what changed as text after `title`, and as lines for clients. */
export async function changeResult(
  title: string,
  before: string,
  after: string,
  details: JsonObject,
  { scrubber }: ToolContext,
): Promise<ToolResult> {
  const diff = await fileDiff(...cleaned(before, after, scrubber))
  return {
    outcome: "done",
    output: boundText(`${title}\n${diffText(diff)}`),
    details: { ...details, [diffField]: diff },
  }
}

/** No diff is shown for longer texts. */
const MAX_COMPARED = 1024 * 1024

export function isComparable(before: string, after: string): boolean {
  return before.length + after.length <= MAX_COMPARED
}

/** What a call would do to a file, for a person. Not known for texts that are too long. */
export async function changeOf(
  path: string,
  before: string,
  after: string,
  { scrubber }: ToolContext,
): Promise<ExpectedChanges> {
  if (!isComparable(before, after)) return { kind: "unknown" }
  const diff = await decisionDiff(...cleaned(before, after, scrubber))
  return { kind: "changes", changes: [{ path, ...diff }] }
}

/** What `find` says of a file. */
export async function expectedChanges(
  path: string,
  context: ToolContext,
  deps: FileToolDeps,
  find: (file: HeldFile) => Promise<ExpectedChanges>,
): Promise<ExpectedChanges> {
  let expected: ExpectedChanges = { kind: "unknown" }
  await withFile(path, "changed", context, deps, async (file) => {
    expected = await find(file)
    return { outcome: "done", output: "" }
  })
  return expected
}

/** Before they are compared: a secret may have several lines. */
function cleaned(before: string, after: string, scrubber: ToolContext["scrubber"]): [string, string] {
  return [scrubber?.text(before) ?? before, scrubber?.text(after) ?? after]
}
