// Lists a folder: names in order, folders with a slash, files with their size, links with their target.
import type { BigIntStats } from "node:fs"
import { lstat, opendir, readlink } from "node:fs/promises"
import { checks, toolInputSchemas } from "../../contract/generated/tool-inputs.js"
import type { LsInput } from "../../contract/tool-inputs.ts"
import { defineTool, withoutPreparation } from "../define-tool.ts"
import { withFile, type HeldFile } from "../files/with-file.ts"
import type { FileToolDeps } from "../files/file-memory.ts"
import { holdFolder, type HeldFolder } from "../files/held-folder.ts"
import { kindOf } from "../files/open-file.ts"
import { boundText } from "../output-bound.ts"
import { Smallest } from "./smallest.ts"
import { systemCode } from "../../contract/faults.ts"
import type { Tool, ToolContext, ToolResult } from "../tool.ts"

const MAX_ENTRIES = 1000

export function lsTool(deps: FileToolDeps): Tool {
  return defineTool<LsInput>({
    name: "ls",
    description: "Lists a folder: folders end with a slash, files have their size. Hidden entries are included.",
    class: "read",
    isReadOnly: true,
    check: checks.ls,
    inputSchema: toolInputSchemas.ls,
    prepare: async (input, context) => withoutPreparation(context, () => list(input, context, deps)),
  })
}

async function list(input: LsInput, context: ToolContext, deps: FileToolDeps): Promise<ToolResult> {
  return withFile(input.path ?? ".", "listed", context, deps, async (file) => {
    const { folder, name } = file
    const stat = await lstat(folder.at(name), { bigint: true })
    return stat.isDirectory() ? listFolder(file, deps) : { outcome: "done", output: await describe(folder, name) }
  })
}

/** The entries of a folder. */
export async function listFolder({ realPath, displayPath }: HeldFile, deps: FileToolDeps): Promise<ToolResult> {
  using folder = holdFolder(realPath, deps)
  const names = new Smallest(MAX_ENTRIES)
  for await (const entry of await opendir(folder.path)) names.add(entry.name)
  if (names.total === 0) return { outcome: "done", output: `${displayPath} is empty.`, details: { entries: 0 } }
  const lines = await Promise.all(names.sorted().map((entry) => describe(folder, entry)))
  const omittedCount = names.total - lines.length
  if (omittedCount > 0)
    lines.push(`[${omittedCount.toLocaleString("en")} more entries; use find with a pattern to see some of them.]`)
  return { outcome: "done", output: boundText(lines.join("\n")), details: { entries: names.total } }
}

async function describe(folder: HeldFolder, name: string): Promise<string> {
  const displayName = visible(name)
  const path = folder.at(name)
  try {
    const stat = await lstat(path, { bigint: true })
    if (stat.isDirectory()) return `${displayName}/`
    if (stat.isSymbolicLink()) return `${displayName} -> ${visible(await readlink(path))}`
    return `${displayName} (${sizeOrKind(stat)})`
  } catch (fault) {
    if (systemCode(fault) === undefined) throw fault
    return `${displayName} (cannot be read)` // removed in the meantime, or no permission
  }
}

function sizeOrKind(stat: BigIntStats): string {
  return stat.isFile() ? `${stat.size.toLocaleString("en")} bytes` : kindOf(stat)
}

/** A name may contain line feeds and control characters; each entry must be one line. */
function visible(name: string): string {
  return name.replaceAll(/\p{Cc}/gu, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`
  })
}
