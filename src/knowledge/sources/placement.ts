// Where a file or folder stands among the known ones: a part of one, a place with rights of its own inside of one, or
// around some. No document is in the index twice.
import { basename, dirname, relative, sep } from "node:path"
import { withoutTrailing } from "../../contract/text/text.ts"
import { isSearched } from "../ingest/find-sources.ts"
import { audienceKey, type Audience } from "../rights.ts"
import { pathFilter } from "./path-filter.ts"
import type { RegisteredSource } from "./registry.ts"

/** What the user said beside the path; undefined: nothing. */
export interface Wishes {
  readonly audience: { readonly groups: Audience } | undefined
  readonly sets: readonly string[] | undefined
  readonly everyMs: number | "never" | undefined
  readonly include: readonly string[] | undefined
  readonly exclude: readonly string[] | undefined
}

export type Placement =
  /** The known source covers it: only this path below it is read. */
  | { readonly kind: "part"; readonly of: RegisteredSource; readonly part: string }
  | {
      readonly kind: "own"
      /** Before the names of its documents, so that they are those of the source around it. */
      readonly prefix: string
      readonly inside: RegisteredSource | undefined
      /** Known sources below it that become part of it. */
      readonly absorbed: readonly RegisteredSource[]
      /** Known sources below it with other rights or a schedule of their own. */
      readonly kept: readonly RegisteredSource[]
    }

interface Path {
  readonly kind: "file" | "folder"
  readonly root: string
}

/** `known`: the sources of the same organisation. Its own entry is none of the others. */
export function placementOf({ kind, root }: Path, wishes: Wishes, known: readonly RegisteredSource[]): Placement {
  const own = known.find((one) => one.root === root)
  const around = known
    .filter((one) => one.kind === "folder" && isBelow(root, one.root))
    .toSorted((one, other) => other.root.length - one.root.length)[0]
  const part = around === undefined ? "" : pathBelow(root, around.root)
  if (around !== undefined && own === undefined && covers(around, part, kind) && addsNothing(wishes, around))
    return { kind: "part", of: around, part }
  const below = kind === "folder" ? known.filter((one) => isPath(one) && isBelow(one.root, root)) : []
  const asked = { audience: wishes.audience?.groups ?? own?.audience, sets: wishes.sets ?? own?.sets ?? [] }
  const isAbsorbed = (one: RegisteredSource) => hasNothingOfItsOwn(one) && hasRights(one, asked.audience, asked.sets)
  return {
    kind: "own",
    prefix: own?.prefix ?? prefixOf(around, part, kind),
    inside: around,
    absorbed: below.filter(isAbsorbed),
    kept: below.filter((one) => !isAbsorbed(one)),
  }
}

function prefixOf(around: RegisteredSource | undefined, part: string, kind: Path["kind"]): string {
  if (around === undefined) return ""
  const folder = kind === "folder" ? part : dirname(part)
  return `${around.prefix}${folder === "." ? "" : `${folder}/`}`
}

/** Whether the source reads this path: not what it skips or does not include. */
function covers(source: RegisteredSource, part: string, kind: Path["kind"]): boolean {
  const isReached = part.split("/").every(isSearched)
  return isReached && (kind === "folder" || pathFilter(source.options)(part))
}

function addsNothing({ audience, sets, everyMs, include, exclude }: Wishes, source: RegisteredSource): boolean {
  return (
    everyMs === undefined &&
    include === undefined &&
    exclude === undefined &&
    hasRights(source, audience === undefined ? source.audience : audience.groups, sets ?? source.sets)
  )
}

function hasNothingOfItsOwn({ everyMs, options: { include, exclude } }: RegisteredSource): boolean {
  return everyMs === undefined && include.length === 0 && exclude.length === 0
}

function hasRights(source: RegisteredSource, audience: Audience, sets: readonly string[]): boolean {
  return (
    audienceKey(source.audience) === audienceKey(audience) &&
    JSON.stringify(source.sets.toSorted()) === JSON.stringify(sets.toSorted())
  )
}

function isPath({ kind }: RegisteredSource): boolean {
  return kind === "file" || kind === "folder"
}

function isBelow(path: string, folder: string): boolean {
  return path !== folder && path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}

function pathBelow(path: string, folder: string): string {
  return relative(folder, path).split(sep).join("/")
}

/** The name of a repository before its files; with its owner where another one has that name. */
export function repositoryPrefix(location: string, taken: readonly string[]): string {
  const parts = withoutTrailing(location, "/")
    .replace(/\/?\.git$/, "")
    .split(/[/:]+/)
    .filter((part) => part !== "")
  const name = basename(parts.at(-1) ?? "repository")
  for (let count = 1; count <= parts.length; count++) {
    const prefix = `${parts.slice(-count).join("/")}/`
    if (!taken.includes(prefix)) return prefix
  }
  return `${name}-${taken.length + 1}/`
}
