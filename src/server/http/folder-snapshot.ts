// The files of a folder in memory, by their path below it. A path of a request is only ever looked up here, so it can reach
// nothing else: no other folder, no symbolic link, no list of a folder.
import { createHash } from "node:crypto"
import { readdir, readFile, stat } from "node:fs/promises"
import { join, relative, sep } from "node:path"
import { promisify } from "node:util"
import { gzip } from "node:zlib"

export interface StaticFile {
  readonly bytes: Uint8Array
  readonly digest: string
  /** Compressed once, when it is first needed. */
  readonly gzipped: () => Promise<Uint8Array>
}

export type StaticFiles = ReadonlyMap<string, StaticFile>

/** A folder with more is refused: it is not a built site. */
const MAX_FILES = 5000
const MAX_BYTES = 64 * 1024 ** 2

const compress = promisify(gzip)

export class FolderSnapshot {
  readonly #folder: string
  #version = ""
  #files: Promise<StaticFiles> | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Read again when another folder took its place, as a build does. Undefined if there never was one. */
  async files(): Promise<StaticFiles | undefined> {
    const version = await versionOf(this.#folder)
    if (version === undefined || version === this.#version) return this.#files
    const files = readFiles(this.#folder)
    this.#files = files
    this.#version = version
    files.catch(() => {
      if (this.#files === files) this.#version = "" // the next request tries again
    })
    return files
  }
}

async function versionOf(folder: string): Promise<string | undefined> {
  try {
    const found = await stat(folder)
    return found.isDirectory() ? `${found.dev}.${found.ino}.${found.mtimeMs}` : undefined
  } catch {
    return undefined
  }
}

async function readFiles(folder: string): Promise<StaticFiles> {
  const names = await fileNames(folder)
  if (names.length > MAX_FILES) throw new Error(`${folder} has more than ${MAX_FILES} files; it is not served`)
  let room = MAX_BYTES
  const contents = new Map<string, Uint8Array>()
  for (const name of names) {
    const bytes = await readFile(join(folder, name))
    room -= bytes.length
    if (room < 0) throw new Error(`${folder} has more than ${MAX_BYTES} bytes; it is not served`)
    contents.set(name, bytes)
  }
  return new Map(Array.from(contents, ([name, bytes]) => [name, staticFile(bytes, contents.get(`${name}.gz`))]))
}

/** Neither symbolic links nor hidden files. */
async function fileNames(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep))
    .filter((parts) => !parts.some((part) => part.startsWith(".")))
    .map((parts) => parts.join("/"))
    .toSorted()
}

function staticFile(bytes: Uint8Array, compressed: Uint8Array | undefined): StaticFile {
  const digest = createHash("sha256").update(bytes).digest("base64url").slice(0, 22)
  let gzipped = compressed === undefined ? undefined : Promise.resolve(compressed)
  return { bytes, digest, gzipped: () => (gzipped ??= compress(bytes)) }
}
