// Changes places of a text file, all or none. A text to replace must occur exactly once, unless every occurrence is to be
// replaced; a unique place that differs only in white space is taken too, and the result says so. Byte order mark, line
// endings and encoding are kept. A file that another program changed since it was read is not changed.
import { checks, toolInputSchemas } from "../../contract/generated/tool-inputs.js"
import type { EditInput } from "../../contract/tool-inputs.ts"
import { defineTool, failed, withoutPreparation } from "../define-tool.ts"
import { fileLocks } from "../../features/locks/tools/file-locks.ts"
import { withFile } from "../files/with-file.ts"
import type { FileToolDeps } from "../files/file-memory.ts"
import { realPathOf } from "../files/paths.ts"
import type { ExpectedChanges, Tool, ToolContext, ToolResult } from "../tool.ts"
import { changeOf, changeResult, currentText, expectedChanges, storeText } from "./change-file.ts"
import { formattedText } from "./formatter.ts"
import { nearestLines } from "./nearest-lines.ts"
import { replaceEvery, replacePiece, type Replacement } from "./replacement.ts"
import { withDiagnostics } from "./with-diagnostics.ts"

type Edit = NonNullable<EditInput["edits"]>[number]
type Ambiguous = Extract<Replacement, { kind: "ambiguous" }>

export function editTool(deps: FileToolDeps): Tool {
  return defineTool<EditInput>({
    name: "edit",
    description:
      "Replaces text in a file. old_string must occur in the file exactly once: add lines around it until it does, or set replace_all. Several changes of one file go into edits.",
    class: "unsafe",
    check: checks.edit,
    refine: (input) => (editsOf(input) === undefined ? neitherForm : undefined),
    inputSchema: toolInputSchemas.edit,
    resources: (input, cwd) => [`file:${realPathOf(input.path, cwd)}`],
    locks: async (input, cwd) => fileLocks(input.path, cwd),
    prepare: async (input, context) => withoutPreparation(context, () => edit(input, context, deps)),
    changes: (input, context) => changesOf(input, context, deps),
  })
}

const neitherForm = "edit needs either old_string and new_string, or edits."

function editsOf({ old_string, new_string, replace_all, edits }: EditInput): readonly Edit[] | undefined {
  if (edits !== undefined) return old_string === undefined && new_string === undefined ? edits : undefined
  return old_string === undefined || new_string === undefined ? undefined : [{ old_string, new_string, replace_all }]
}

async function edit(input: EditInput, context: ToolContext, deps: FileToolDeps): Promise<ToolResult> {
  const edits = editsOf(input) ?? []
  return withFile(input.path, "changed", context, deps, async (file) => {
    const { realPath, displayPath } = file
    const current = await currentText(file, context, deps)
    if (current.kind !== "text") return failed(current.reason)
    const edited = applyEdits(current.text, edits, displayPath)
    if (edited.kind === "no") return failed(edited.reason)
    const memory = deps.fileMemoryFor(context.sessionId)
    const refusal = await storeText(file, edited.text, { before: current }, memory)
    if (refusal !== undefined) return failed(refusal)
    const { text, notices } = await formattedText(file, edited.text, context, { format: deps.format, memory })
    const title = [`Changed ${displayPath}${edited.summary}.`, ...edited.notices, ...notices].join("\n")
    const result = await changeResult(title, current.text, text, { path: displayPath }, context)
    return withDiagnostics(result, [{ realPath, displayPath, before: current.text, after: text }], context, deps)
  })
}

/** Why an edit would fail is not said before an approval: the reason has lines of the file. */
function changesOf(input: EditInput, context: ToolContext, deps: FileToolDeps): Promise<ExpectedChanges> {
  return expectedChanges(input.path, context, deps, async (file) => {
    const current = await currentText(file, context, deps)
    if (current.kind !== "text") return { kind: "unknown" }
    const edited = applyEdits(current.text, editsOf(input) ?? [], file.displayPath)
    return edited.kind === "no" ? { kind: "unknown" } : changeOf(file.displayPath, current.text, edited.text, context)
  })
}

type Edited =
  | { readonly kind: "text"; readonly text: string; readonly summary: string; readonly notices: readonly string[] }
  | { readonly kind: "no"; readonly reason: string }

/** Each edit sees the text that the one before it left. */
function applyEdits(before: string, edits: readonly Edit[], shown: string): Edited {
  let text = before
  let places = 0
  const notices: string[] = []
  for (const [index, { old_string, new_string, replace_all }] of edits.entries()) {
    const number = edits.length === 1 ? "" : `Edit ${index + 1} of ${edits.length}: `
    if (old_string === new_string)
      return { kind: "no", reason: `${number}old_string and new_string are the same; nothing was done.` }
    const replacement = (replace_all === true ? replaceEvery : replacePiece)(text, old_string, new_string)
    if (replacement.kind === "too-long")
      return { kind: "no", reason: `${number}${shown} would become too large. Nothing was done.` }
    if (replacement.kind === "ambiguous") {
      const none = number === "" ? "" : `${overlapHint(before, old_string, replacement)} Nothing was done.`
      return { kind: "no", reason: `${number}${ambiguousText(replacement, text, old_string, shown)}${none}` }
    }
    const { loose } = replacement
    if (loose !== undefined)
      notices.push(
        `[${number}old_string was found at line ${loose.line} only by ignoring ${loose.ignoring}${loose.ignoring === "indentation" ? "; new_string got the indentation of the file" : ""}.]`,
      )
    text = replacement.text
    places += replacement.times ?? 1
  }
  const summary = places === 1 ? "" : ` in ${places} places`
  return { kind: "text", text, summary, notices }
}

/** Models often give edits of the same place, each as if it were the only one. */
function overlapHint(before: string, piece: string, { times }: Ambiguous): string {
  const isGone = times === 0 && replacePiece(before, piece, "").kind === "replaced"
  return isGone ? " The edits before it changed that place: join them into one." : ""
}

function ambiguousText(found: Ambiguous, text: string, piece: string, shown: string): string {
  const { times, lines, ignoring } = found
  if (times > 1) {
    const lineNumbers = `${lines.join(", ")}${times > lines.length ? ", …" : ""}`
    const how = ignoring === undefined ? "" : ` if ${ignoring} ${ignoring === "indentation" ? "is" : "are"} ignored`
    return `old_string occurs ${times} times in ${shown}${how} (lines ${lineNumbers}); add lines around it until it occurs once${how === "" ? ", or set replace_all" : ""}.`
  }
  if (hasLineNumbers(piece))
    return `old_string does not occur in ${shown}. It has the line numbers that read shows: leave them out.`
  const nearest = nearestLines(text, piece)
  const hint = nearest === undefined ? "" : ` The nearest lines are:\n${nearest}`
  return `old_string does not occur in ${shown}.${hint}`
}

function hasLineNumbers(piece: string): boolean {
  return piece.split("\n").every((line) => line === "" || /^ {0,5}\d{1,6}\t/.test(line))
}
