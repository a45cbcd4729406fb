// Lists the files below names of files and folders, following links. Bounded.
import { readdirSync, statSync } from "node:fs"
import { join, resolve } from "node:path"

const most = 100

export interface FilesUnder {
  readonly paths: readonly string[]
  /** The list is incomplete. */
  readonly more: boolean
}

export function filesUnder(folder: string, names: readonly string[]): FilesUnder {
  const paths: string[] = []
  const waiting = [...names].toReversed()
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (paths.length >= most) return { paths, more: true }
    const inside = entriesOf(resolve(folder, name))
    if (inside === undefined) paths.push(name)
    else if (inside.length === 0) paths.push(`${name}/ (empty)`)
    else waiting.push(...inside.map((entry) => join(name, entry)).toReversed())
  }
  return { paths, more: false }
}

/** Empty for what is not a readable folder. */
function entriesOf(path: string): readonly string[] | undefined {
  try {
    return statSync(path).isDirectory() ? readdirSync(path).toSorted() : undefined
  } catch {
    return undefined
  }
}
