// Reads folders of small text files: commands, skills and agents.
import { existsSync } from "node:fs"
import { readdir, readFile, stat } from "node:fs/promises"
import { describeError, hasCode } from "./faults.ts"

/** Paths in a folder, in order; none where there is no usable folder. */
export async function pathsIn(folder: string, recursive = false): Promise<readonly string[]> {
  if (!existsSync(folder)) return [] // the usual case, before each turn: not worth a hop to another thread
  try {
    return (await readdir(folder, { recursive })).toSorted()
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP")) return []
    throw error
  }
}

/** Hidden files are left out. */
export async function markdownIn(folder: string, recursive = false): Promise<readonly string[]> {
  return (await pathsIn(folder, recursive)).filter((path) => path.endsWith(".md") && !/(^|\/)\./.test(path))
}

/** Of a place that may have only some files of its folder. */
export async function markdownOf(
  { folder, only }: { readonly folder: string; readonly only?: ReadonlySet<string> },
  recursive = false,
): Promise<readonly string[]> {
  return only === undefined
    ? markdownIn(folder, recursive)
    : [...only].filter((name) => name.endsWith(".md")).toSorted()
}

export type SmallText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "absent" }
  | { readonly kind: "unfit"; readonly why: string }

/** Why a file cannot be used is a sentence without its beginning: `it is not text`. */
export async function readSmallText(path: string, maxBytes: number): Promise<SmallText> {
  try {
    const found = await stat(path)
    if (!found.isFile()) return { kind: "unfit", why: "it is not a file" }
    if (found.size > maxBytes) return { kind: "unfit", why: `it has more than ${maxBytes} bytes` }
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path)) }
  } catch (error) {
    if (error instanceof TypeError) return { kind: "unfit", why: "it is not text" }
    return hasCode(error, "ENOENT", "ENOTDIR") ? { kind: "absent" } : { kind: "unfit", why: describeError(error) }
  }
}
