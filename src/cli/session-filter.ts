// Options of `ls` and `search` that select sessions: a folder, and how many.
import { realpathSync } from "node:fs"
import { resolve } from "node:path"
import { usageFault } from "../app/app-fault.ts"
import type { ListedSession } from "../app/sessions/sessions.ts"
import type { Args } from "./command.ts"

/** Sessions in the folder of --folder or below it; all without it. */
export function folderFilter(args: Args): (session: ListedSession) => boolean {
  const named = args.text("folder")
  if (named === undefined) return () => true
  if (named === "") throw usageFault("--folder needs a folder; '.' is this one")
  const folder = realPath(resolve(named))
  return ({ status: { cwd } }) => cwd === folder || cwd.startsWith(`${folder === "/" ? "" : folder}/`)
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path // it may have been deleted since
  }
}

export function limitOf(args: Args): number | undefined {
  const text = args.text("limit")
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text)
  throw usageFault(`--limit: '${text}' is not a number from 1 on.`)
}
