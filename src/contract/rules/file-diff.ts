// The change of a file in the details of a tool result, for clients that show it as a diff.
import { isJsonObject, memberIn, textIn } from "../json-object.ts"
import type { DiffLine, FileDiff, JsonValue } from "../values.ts"

export type { DiffLine, FileDiff }

/** The change of one of several files. */
export type PathDiff = FileDiff & { readonly path: string }

/** The field of the details that has it; of a call that changes several files, the other one. */
export const diffField = "diff"
export const diffsField = "diffs"

/** The field that has what language servers report about the change, as text. */
export const diagnosticsField = "diagnostics"

/** Undefined where a tool reports no change, or an extension something else under this name. */
export function fileDiffOf(details: JsonValue | undefined): FileDiff | undefined {
  return diffOf(memberIn(details, diffField))
}

/** Empty where a tool reports no changes, or an extension something else under this name. */
export function pathDiffsOf(details: JsonValue | undefined): readonly PathDiff[] {
  const list = memberIn(details, diffsField)
  const diffs = Array.isArray(list) ? list : []
  return diffs.flatMap((value: JsonValue) => {
    const [path, diff] = [textIn(value, "path"), diffOf(value)]
    return path === undefined || diff === undefined ? [] : [{ path, ...diff }]
  })
}

function diffOf(diff: JsonValue | undefined): FileDiff | undefined {
  if (!isJsonObject(diff) || !Array.isArray(diff["lines"])) return undefined
  const { added, removed } = diff
  if (typeof added !== "number" || typeof removed !== "number") return undefined
  const lines = diff["lines"].flatMap((line: JsonValue) => diffLineOf(line) ?? [])
  return lines.length === diff["lines"].length ? { added, removed, lines } : undefined
}

function diffLineOf(line: JsonValue): DiffLine | undefined {
  if (!isJsonObject(line)) return undefined
  const { sign, at, text, omitted, unchanged } = line
  if (sign === "…" && typeof omitted === "number")
    return { sign, omitted, ...(unchanged === true ? { unchanged } : {}) }
  const isLine = (sign === "+" || sign === "-" || sign === " ") && typeof at === "number" && typeof text === "string"
  return isLine ? { sign, at, text } : undefined
}
