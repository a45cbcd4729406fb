// Runs ripgrep for the tools that search, until there are enough results. Ignore files of git count everywhere, hidden
// files are searched, .git is not; symlinks are not followed. Ripgrep opens files by name, which a shell of the session
// could redirect by replacing a folder with a link; so it runs in the same sandbox as that shell, where forbidden
// folders are empty. Without a sandbox the shell itself could read them.
import type { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import type { CommandDeps } from "../start-command.ts"
import type { JsonValue } from "../../contract/values.ts"
import { cancelled, failed } from "../define-tool.ts"
import { boundText } from "../output-bound.ts"
import type { ToolContext, ToolResult } from "../tool.ts"
import type { BigIntStats } from "node:fs"
import { lstat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { missingFileMessage } from "../files/with-file.ts"
import type { FileToolDeps } from "../files/file-memory.ts"
import { ForbiddenFolder, holdFolder, type GuardFolders } from "../files/held-folder.ts"
import { notRegularFileMessage } from "../files/open-file.ts"
import { locate, realPathOf, displayPathOf } from "../files/paths.ts"
import { systemCode } from "../../contract/faults.ts"

export interface Search {
  readonly args: readonly string[]
  /** A real folder. */
  readonly folder: string
  readonly recordEnd: "\n" | "\0"
  /** False when there are enough. */
  readonly onRecord: (record: string) => boolean
}

export type Searched =
  | { readonly kind: "searched"; readonly stopped: "enough" | "late" | undefined; readonly unreadable: boolean }
  | { readonly kind: "complaint"; readonly message: string }
  | { readonly kind: "cancelled" }

/** A longer search returns what it has found until then. */
const MAX_SECONDS = 60
const DEFAULT_ARGS = ["--no-config", "--color=never", "--hidden", "--no-require-git", "--no-messages", "--glob=!.git"]

export async function ripgrep(deps: CommandDeps, context: ToolContext, search: Search): Promise<Searched> {
  const { rgPath } = await import("@vscode/ripgrep")
  const { env, sessionId: owner } = context
  const { folder: cwd } = search
  const plain = { command: rgPath, args: [...DEFAULT_ARGS, ...search.args] }
  const { command, args } = (await deps.sandbox?.wrap(plain, cwd)) ?? plain
  const gated = await deps.processes.spawn({ command, args, cwd, env, owner })
  if (context.signal.aborted) {
    gated.abandon()
    return { kind: "cancelled" }
  }
  const enoughFound = new AbortController()
  const timeout = AbortSignal.timeout(MAX_SECONDS * 1000)
  const stop = AbortSignal.any([context.signal, timeout, enoughFound.signal])
  let killing: Promise<boolean> | undefined
  const kill = () => {
    killing = gated.kill()
  }
  stop.addEventListener("abort", kill)
  gated.go()
  const complaint = text(gated.stderr)
  if (!(await readRecords(gated.stdout, search))) enoughFound.abort()
  const { code } = await gated.exited
  stop.removeEventListener("abort", kill)
  await killing
  if (context.signal.aborted) return { kind: "cancelled" }
  const message = (await complaint).trim()
  if (!stop.aborted && message !== "") return { kind: "complaint", message }
  const stopped = enoughFound.signal.aborted ? "enough" : timeout.aborted ? "late" : undefined
  return { kind: "searched", stopped, unreadable: code === 2 }
}

/** The result of a tool that searched; `found` is called if the search took place. */
export function searchResult(
  searched: Searched,
  found: (isStopped: boolean) => { readonly body: string; readonly details: JsonValue },
): ToolResult {
  if (searched.kind === "cancelled") return cancelled
  if (searched.kind === "complaint") return failed(boundText(searched.message))
  const { body, details } = found(searched.stopped !== undefined)
  return { outcome: "done", output: [body, ...noticesOf(searched)].join("\n"), details }
}

function noticesOf({ stopped, unreadable }: Extract<Searched, { kind: "searched" }>): string[] {
  const reasons = {
    enough: "[There are more matches; make the pattern or the path narrower.]",
    late: `[The search was stopped after ${MAX_SECONDS} s; search a smaller folder.]`,
  }
  return [...(stopped ? [reasons[stopped]] : []), ...(unreadable ? ["[Some files could not be read.]"] : [])]
}

/** False when `onRecord` returned false. */
async function readRecords(stream: Readable, { recordEnd, onRecord }: Search): Promise<boolean> {
  const end = recordEnd.charCodeAt(0)
  let rest: Buffer = Buffer.alloc(0)
  const chunks: AsyncIterable<Buffer> = stream
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let from = 0
    for (let at = bytes.indexOf(end); at !== -1; at = bytes.indexOf(end, from)) {
      if (!onRecord(bytes.toString("utf8", from, at))) return false
      from = at + 1
    }
    rest = bytes.subarray(from)
  }
  return rest.length === 0 || onRecord(rest.toString("utf8"))
}

type SearchPlace =
  | {
      readonly kind: "place"
      readonly folder: string
      /** The folder itself, or one file in it. */
      readonly target: string
      /** Undefined for a forbidden or denied path. `found` is ripgrep's path. */
      readonly displayPath: (found: string) => string | undefined
    }
  | { readonly kind: "no"; readonly reason: string }

/** Where a search starts. Forbidden and denied paths are left out of its results, also if it starts above them. */
export async function searchPlace(path: string | undefined, cwd: string, deps: FileToolDeps): Promise<SearchPlace> {
  const { guardPath, guardFolders, unsearched } = deps
  const located = locate(path ?? ".", cwd, guardPath)
  if (located.kind === "no") return located
  const { realPath, displayPath } = located
  const stat = await statOf(realPath, guardFolders)
  if (typeof stat === "string") return { kind: "no", reason: stat }
  if (stat === undefined)
    return { kind: "no", reason: missingFileMessage({ realPath, displayPath, cwd, guardFolders }) }
  const isFolder = stat.isDirectory()
  if (!isFolder && !stat.isFile()) return { kind: "no", reason: notRegularFileMessage(stat, displayPath) }
  const folder = isFolder ? realPath : dirname(realPath)
  const realCwd = realPathOf(cwd, "/")
  const isLeftOut = unsearched?.(cwd) ?? (() => false)
  const displayPathOfFound = (found: string) => {
    const foundPath = join(folder, found)
    return guardPath(foundPath) === undefined && !isLeftOut(foundPath) ? displayPathOf(foundPath, realCwd) : undefined
  }
  return { kind: "place", folder, target: isFolder ? "." : `./${basename(realPath)}`, displayPath: displayPathOfFound }
}

/** The reason if the path is in a forbidden folder; undefined if it does not exist. */
async function statOf(realPath: string, guardFolders: GuardFolders): Promise<BigIntStats | string | undefined> {
  try {
    using folder = holdFolder(dirname(realPath), { guardFolders })
    return await lstat(folder.at(basename(realPath)), { bigint: true })
  } catch (fault) {
    if (fault instanceof ForbiddenFolder) return fault.message
    if (systemCode(fault) === undefined) throw fault
    return undefined
  }
}
