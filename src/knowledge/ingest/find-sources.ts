// Resolves an argument to sources: a file, all supported files below a folder, a list of addresses, or one address.
// Hidden files, links and node_modules are skipped inside folders.
import type { Dirent } from "node:fs"
import { lstat, open, readdir, readFile, stat } from "node:fs/promises"
import { basename, join, resolve } from "node:path"
import { systemCode } from "../../contract/faults.ts"
import { ExtractFault } from "../extract/extract-limits.ts"
import type { Extractor } from "../extract/extractor.ts"
import { kindOfName, readableEndings, kindOfMediaType, type Kind } from "../extract/kinds.ts"
import { FetchFault } from "../fetch/checked-url.ts"
import { type FetchOptions, fetchPage, type FetchedPage } from "../fetch/fetch-page.ts"
import { SourceFault } from "./source-fault.ts"
import type { PageMemory } from "../sources/page-memory.ts"
import { fileSource, markOf, SourceGone, unknownSource, type Mark, type Source } from "./source.ts"
import { charsetOf } from "../extract/page-encoding.ts"
import { textInPieces } from "../extract/text-in-pieces.ts"

const listBytes = 1024 * 1024
const beginningBytes = 4096
const MAX_DEPTH = 64

export async function* findSources(
  argument: string,
  extractor: Extractor,
  options: FetchOptions = {},
): AsyncGenerator<Source> {
  const { kind, root } = await placeOf(argument)
  if (kind === "page") yield pageSource(root, root, extractor, options)
  else if (kind === "list") yield* listedPages(root, extractor, options)
  else if (kind === "file") yield onlyFile(root, "", extractor)
  else yield* folderSources({ root }, extractor)
}

export interface Place {
  readonly kind: "file" | "folder" | "page" | "list"
  /** A full path or an address: recorded as the root of the documents. */
  readonly root: string
}

/** What the user named. Throws SourceFault. */
export async function placeOf(argument: string): Promise<Place> {
  if (argument.trim() === "") throw new SourceFault("the path is empty")
  if (isAddress(argument)) return { kind: "page", root: argument }
  const root = resolve(argument)
  const found = await stat(root).catch((fault: unknown) => {
    throw new SourceFault(missing(argument, systemCode(fault)))
  })
  if (found.isDirectory()) return { kind: "folder", root }
  if (!found.isFile()) throw new SourceFault(`${argument} is neither a file nor a folder`)
  const isList = isAddressList(root, await beginningOf(root))
  if (!isList && kindOfName(root) === undefined)
    throw new SourceFault(`${argument} is not supported. Supported: ${readableEndings.join(" ")}`)
  return { kind: isList ? "list" : "file", root }
}

function missing(argument: string, code: string | undefined): string {
  return code === undefined || code === "ENOENT"
    ? `${argument} does not exist`
    : `${argument} cannot be opened (${code})`
}

export function isAddress(argument: string): boolean {
  return /^https?:\/\//i.test(argument)
}

/** A file that was added by itself. */
export function onlyFile(path: string, prefix: string, extractor: Extractor): Source {
  const kind = kindOfName(path)
  if (kind === undefined) throw new SourceFault(`${path} is not supported. Supported: ${readableEndings.join(" ")}`)
  return fileSource(`${prefix}${basename(path)}`, path, path, kind, extractor)
}

export interface FolderSearch {
  readonly root: string
  /** Before the names of its documents. */
  readonly prefix?: string
  /** Only this file, or what is below this folder: a path below the root. */
  readonly part?: string | undefined
  /** Full paths that are left out. */
  readonly skips?: ReadonlySet<string>
  /** By path below the root. */
  readonly isWanted?: (path: string) => boolean
}

export async function* folderSources(search: FolderSearch, extractor: Extractor): AsyncGenerator<Source> {
  const { part = "", root, isWanted, skips } = search
  if (part === "") return yield* below(search, "", extractor)
  const found = await lstat(join(root, part)).catch(() => undefined)
  const kind = kindOfName(part)
  if (skips?.has(join(root, part)) === true) return
  if (found?.isDirectory() === true) yield* below(search, part, extractor)
  else if (found?.isFile() === true && kind !== undefined && isWanted?.(part) !== false)
    yield fileIn(search, part, kind, extractor)
}

async function* below(
  search: FolderSearch,
  subfolder: string,
  extractor: Extractor,
  depth = 0,
): AsyncGenerator<Source> {
  const { root, prefix = "", skips, isWanted } = search
  const entries = await entriesOf(join(root, subfolder), depth)
  if (entries instanceof Error) return yield closedFolder(`${prefix}${subfolder}/`, root, entries)
  for (const entry of entries.toSorted(byName)) {
    if (!isSearched(entry.name)) continue
    const path = subfolder === "" ? entry.name : `${subfolder}/${entry.name}`
    if (skips?.has(join(root, path)) === true) continue
    if (entry.isDirectory()) yield* below(search, path, extractor, depth + 1)
    if (!entry.isFile() || isWanted?.(path) === false) continue
    const kind = kindOfName(entry.name)
    if (kind === undefined) yield unknownSource(`${prefix}${path}`, join(root, path), root)
    else yield fileIn(search, path, kind, extractor)
  }
}

/** Inside of folders. */
export function isSearched(name: string): boolean {
  return !name.startsWith(".") && name !== "node_modules"
}

function fileIn({ root, prefix = "" }: FolderSearch, path: string, kind: Kind, extractor: Extractor): Source {
  return fileSource(`${prefix}${path}`, join(root, path), root, kind, extractor)
}

async function entriesOf(path: string, depth: number): Promise<readonly Dirent[] | Error> {
  if (depth > MAX_DEPTH) return new ExtractFault("it is nested too deeply")
  try {
    return await readdir(path, { withFileTypes: true })
  } catch (fault) {
    if (fault instanceof Error && depth > 0) return fault
    throw new SourceFault(missing(path, systemCode(fault)))
  }
}

/** An unreadable folder is reported like an unreadable file and does not stop the rest. */
function closedFolder(name: string, root: string, fault: Error): Source {
  const fail = () => {
    throw fault
  }
  return { name, place: join(root, name), root, url: undefined, mark: async () => fail(), text: fail }
}

export async function* listedPages(
  path: string,
  extractor: Extractor,
  options: FetchOptions,
  visits?: PageVisits,
): AsyncGenerator<Source> {
  const { size } = await stat(path).catch((fault: unknown) => {
    throw new SourceFault(missing(path, systemCode(fault)))
  })
  if (size > listBytes) throw new SourceFault(`${path} is too long for a list of addresses`)
  for (const address of addressLines(await readFile(path, "utf8")))
    yield pageSource(address, path, extractor, options, visits)
}

async function beginningOf(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(beginningBytes), 0, beginningBytes, 0)
    const text = buffer.toString("utf8", 0, bytesRead)
    return bytesRead < beginningBytes ? text : text.slice(0, text.lastIndexOf("\n") + 1)
  } finally {
    await file.close()
  }
}

function byName(one: Dirent, other: Dirent): number {
  return one.name < other.name ? -1 : 1
}

const listEnding = /\.urls?$/i

/** A text file is a list if it contains only addresses. */
export function isAddressList(name: string, beginning: string): boolean {
  if (listEnding.test(name)) return true
  if (!/\.(?:txt|text)$/i.test(name)) return false
  const lines = addressLines(beginning)
  return lines.length > 0 && lines.every((line) => /^https?:\/\/\S+$/i.test(line))
}

export function addressLines(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
}

/** What is remembered of a page between two runs, and the mark of its document if that may be left as it is. */
export interface PageVisits {
  readonly memory: PageMemory
  readonly known: (name: string) => Mark | undefined
}

export function pageSource(
  address: string,
  root: string,
  extractor: Extractor,
  options: FetchOptions = {},
  visits?: PageVisits,
): Source {
  const known = visits?.known(address)
  const validators = known === undefined ? undefined : visits?.memory.get(address)
  let page: Promise<FetchedPage> | undefined
  const fetched = () => (page ??= fetchExisting(address, { ...options, validators }))
  let read: FetchedPage | undefined
  return {
    name: address,
    place: address,
    root,
    url: address,
    mark: async () => {
      read = await fetched()
      return read.status === 304 && known !== undefined ? known : markOf(singleChunk(read.body))
    },
    text: async function* () {
      yield* pageText(await fetched(), extractor)
    },
    stored: () => {
      if (read?.validators !== undefined && read.status !== 304)
        visits?.memory.set(address, { ...read.validators, links: [] })
    },
  }
}

/** A page that its server says is gone is not a failure: its document is removed. */
async function fetchExisting(address: string, options: FetchOptions): Promise<FetchedPage> {
  const page = await fetchPage(address, { ...options, readsErrors: true })
  if (page.status === 404 || page.status === 410) throw new SourceGone(`the server answers ${page.status}`)
  if (page.status !== 200 && page.status !== 304) throw new FetchFault(`the server answers ${page.status}`)
  return page
}

export async function* pageText(
  { url, mediaType, body }: Pick<FetchedPage, "url" | "mediaType" | "body">,
  extractor: Extractor,
): AsyncGenerator<string> {
  const kind = kindOfMediaType(mediaType) ?? kindOfName(url.pathname)
  if (kind === undefined) throw new ExtractFault(`a page of type '${mediaType}' cannot be read`)
  yield* textInPieces({ name: url.href, kind, pieces: singleChunk(body), charset: charsetOf(mediaType) }, extractor)
}

async function* singleChunk(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body
}
