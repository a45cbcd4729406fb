// What the user named as a source: its kind and where it is.
import { existsSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { checkedUrl, FetchFault } from "../../knowledge/fetch/checked-url.ts"
import { isAddress, placeOf } from "../../knowledge/ingest/find-sources.ts"
import { SourceFault } from "../../knowledge/ingest/source-fault.ts"
import { siteLimits } from "../../knowledge/site/site-limits.ts"
import type { SourceKind } from "../../knowledge/sources/registry.ts"
import { kindOfName } from "../../knowledge/extract/kinds.ts"

export { maxEveryMs, minEveryMs } from "../../knowledge/sources/schedule.ts"
export const { maxPages: mostSitePages, maxDepth: mostSiteDepth } = siteLimits

export interface SourceTarget {
  readonly kind: SourceKind
  /** A full path or an address. */
  readonly root: string
}

/** Kinds that `--as` can name; others are found by themselves. */
export const namedKinds = ["site", "git", "issues"] as const
export type NamedKind = (typeof namedKinds)[number]

/** Throws SourceFault. */
export async function targetOf(name: string, as: NamedKind | undefined): Promise<SourceTarget> {
  if (name.trim() === "") throw new SourceFault("the path is empty")
  if (/\p{Cc}/u.test(name) && isAddress(name)) throw new SourceFault("the address has control characters")
  if (as === "git" || (as === undefined && isRepositoryAddress(name))) return { kind: "git", root: repositoryOf(name) }
  if (as === "site") return { kind: "site", root: siteOf(name) }
  if (as === "issues" || isExport(name)) return { kind: "issues", root: exportOf(name) }
  const place = await placeOf(name)
  if (place.kind === "folder" && isBareRepository(place.root)) return { kind: "git", root: place.root }
  return place
}

function siteOf(name: string): string {
  if (!isAddress(name)) throw new SourceFault(`${name} is not the address of a site. Use one that begins with https://`)
  try {
    const url = checkedUrl(name)
    url.hash = ""
    return url.href
  } catch (fault) {
    if (fault instanceof FetchFault) throw new SourceFault(`${name} cannot be used: ${fault.message}`)
    throw fault
  }
}

const scp = /^[\w.-]+@[\w.-]+:[^:]/

function isRepositoryAddress(name: string): boolean {
  if (/^(?:ssh|file|git):\/\//.test(name)) return true
  if (isAddress(name)) return /\.git\/?$/.test(name)
  return scp.test(name) && !existsSync(name)
}

function repositoryOf(name: string): string {
  if (/^(?:https|ssh):\/\/./.test(name)) return withoutPassword(name)
  if (name.startsWith("file:///")) return name
  if (/^[\w+.-]+:(?::|\/\/)/.test(name))
    throw new SourceFault(`${name}: this kind of address is not used. Use one with https or ssh, or a folder.`)
  const path = resolve(name)
  if (!existsSync(path) && scp.test(name) && !name.startsWith("-")) return name
  if (!existsSync(path)) throw new SourceFault(`${name} does not exist`)
  if (!existsSync(join(path, ".git")) && !isBareRepository(path))
    throw new SourceFault(`${name} is not the top of a git repository`)
  return path
}

function withoutPassword(address: string): string {
  if (!URL.canParse(address)) throw new SourceFault(`${address} is not a valid address`)
  if (new URL(address).password !== "")
    throw new SourceFault("the address has a password, which would be stored. Use a credential helper of git, or ssh.")
  return address
}

function isBareRepository(path: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => existsSync(join(path, name)))
}

function isExport(name: string): boolean {
  return /\.jsonl?$/i.test(name) && !isAddress(name) && kindOfName(name) === undefined && existsSync(name)
}

function exportOf(name: string): string {
  const path = resolve(name)
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw new SourceFault(`${name} is not a file with exported issues`)
  return path
}
