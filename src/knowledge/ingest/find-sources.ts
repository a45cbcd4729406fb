// Resolves an argument to sources: a file, all supported files below a folder, a list of addresses, or one address.
// Hidden files, links and node_modules are skipped inside folders.
import type { Dirent } from "node:fs"
import { open, readdir, readFile, stat } from "node:fs/promises"
import { basename, join, resolve } from "node:path"
import { ExtractFault } from "../extract/extract-limits.ts"
import type { Extractor } from "../extract/extractor.ts"
import { kindOfName, readableEndings, kindOfMediaType } from "../extract/kinds.ts"
import { checkedUrl } from "../fetch/checked-url.ts"
import { type FetchOptions, fetchPage, type FetchedPage } from "../fetch/fetch-page.ts"
import { fileSource, markOf, plainText, type Source } from "./source.ts"
import { charsetOf, decodePage } from "../extract/page-encoding.ts"

export class SourceFault extends Error {
  override readonly name = "SourceFault"
}

const listBytes = 1024 * 1024
const beginningBytes = 4096
const MAX_DEPTH = 64

export async function* findSources(
  argument: string,
  extractor: Extractor,
  options: FetchOptions = {},
): AsyncGenerator<Source> {
  if (argument.trim() === "") throw new SourceFault("the path is empty")
  if (isAddress(argument)) return yield pageSource(argument, argument, extractor, options)
  const path = resolve(argument)
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new SourceFault(`${argument} does not exist`)
  if (found.isDirectory()) return yield* below(path, "", extractor)
  if (!found.isFile()) throw new SourceFault(`${argument} is neither a file nor a folder`)
  if (isAddressList(path, await beginningOf(path))) return yield* listed(path, found.size, extractor, options)
  const kind = kindOfName(path)
  if (kind === undefined) throw new SourceFault(`${argument} is not supported. Supported: ${readableEndings.join(" ")}`)
  yield fileSource(basename(path), path, path, kind, extractor)
}

/** Recorded as the root of the documents found under this argument. */
export function rootOf(argument: string): string {
  return isAddress(argument) ? argument : resolve(argument)
}

function isAddress(argument: string): boolean {
  return /^https?:\/\//i.test(argument)
}

async function* below(root: string, subfolder: string, extractor: Extractor, depth = 0): AsyncGenerator<Source> {
  const entries = await entriesOf(join(root, subfolder), depth)
  if (entries instanceof Error) return yield closedFolder(`${subfolder}/`, root, entries)
  for (const entry of entries.toSorted(byName)) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue
    const name = subfolder === "" ? entry.name : `${subfolder}/${entry.name}`
    if (entry.isDirectory()) yield* below(root, name, extractor, depth + 1)
    const kind = entry.isFile() ? kindOfName(entry.name) : undefined
    if (kind !== undefined) yield fileSource(name, join(root, name), root, kind, extractor)
  }
}

async function entriesOf(path: string, depth: number): Promise<readonly Dirent[] | Error> {
  if (depth > MAX_DEPTH) return new ExtractFault("it is nested too deeply")
  try {
    return await readdir(path, { withFileTypes: true })
  } catch (fault) {
    if (fault instanceof Error && depth > 0) return fault
    throw fault
  }
}

/** An unreadable folder is reported like an unreadable file and does not stop the rest. */
function closedFolder(name: string, root: string, fault: Error): Source {
  const fail = () => {
    throw fault
  }
  return { name, place: join(root, name), root, url: undefined, mark: async () => fail(), text: fail }
}

async function* listed(
  path: string,
  size: number,
  extractor: Extractor,
  options: FetchOptions,
): AsyncGenerator<Source> {
  if (size > listBytes) throw new SourceFault(`${path} is too long for a list of addresses`)
  for (const address of addressLines(await readFile(path, "utf8"))) yield pageSource(address, path, extractor, options)
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

function pageSource(address: string, root: string, extractor: Extractor, options: FetchOptions = {}): Source {
  let page: Promise<FetchedPage> | undefined
  const fetched = () => (page ??= fetchPage(address, options))
  return {
    name: address,
    place: address,
    root,
    url: address,
    mark: async () => markOf(singleChunk((await fetched()).body)),
    async *text() {
      const { mediaType, body } = await fetched()
      const kind = kindOfMediaType(mediaType) ?? kindOfName(checkedUrl(address).pathname)
      if (kind === undefined) throw new ExtractFault(`a page of type '${mediaType}' cannot be read`)
      const charset = charsetOf(mediaType)
      if (kind !== "text") yield await extractor.text({ kind, file: body, charset })
      else if (charset === undefined) yield* plainText(singleChunk(body))
      else yield decodePage(body, charset)
    },
  }
}

async function* singleChunk(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body
}
