// Tells which paths below a folder have changed. Where the system cannot watch it, the folder is scanned from time to time.
import { createHash } from "node:crypto"
import { watch, type Dirent, type FSWatcher } from "node:fs"
import { lstat, readdir } from "node:fs/promises"
import { basename, dirname, join, sep } from "node:path"
import { messageOf } from "../../../contract/faults.ts"
import { isSearched } from "../../../knowledge/ingest/find-sources.ts"

export interface FolderWatchOptions {
  readonly kind: "file" | "folder"
  readonly root: string
  /** Paths below the folder; undefined: anything may have changed. */
  readonly onChange: (path: string | undefined) => void
  readonly onNotice: (sentence: string) => void
  readonly scanMs?: number
  /** For tests: how the system watches. */
  readonly watchPath?: typeof watch
}

const usualScanMs = 10_000
/** Entries of a folder that a scan looks at. */
const MAX_SCANNED = 200_000

export class FolderWatch implements Disposable {
  readonly #options: FolderWatchOptions
  #watcher: FSWatcher | undefined
  #timer: NodeJS.Timeout | undefined
  #state: string | undefined
  #isClosed = false

  constructor(options: FolderWatchOptions) {
    this.#options = options
    this.#watch()
  }

  /** What is watched may no longer be the folder, for example because it was moved. */
  scanInstead(reason: string): void {
    if (this.#isClosed || this.#timer !== undefined) return
    const { root, onNotice, scanMs = usualScanMs } = this.#options
    this.#watcher?.close()
    this.#watcher = undefined
    onNotice(`${root} cannot be watched (${reason}); it is scanned every ${scanMs / 1000} seconds`)
    this.#scanLater()
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#watcher?.close()
  }

  #watch(): void {
    const { kind, root, onChange, watchPath = watch } = this.#options
    try {
      const recursive = kind === "folder"
      // A file is replaced by a rename in most editors, so its folder is watched.
      this.#watcher = watchPath(recursive ? root : dirname(root), { recursive }, (_event, name) => {
        if (kind === "file") return name === null || name === basename(root) ? onChange(undefined) : undefined
        const path = name?.split(sep).join("/")
        if (path === undefined || path.split("/").every(isSearched)) onChange(path)
      })
      this.#watcher.on("error", (fault) => this.scanInstead(messageOf(fault)))
    } catch (fault) {
      this.scanInstead(messageOf(fault))
    }
  }

  #scanLater(): void {
    this.#timer = setTimeout(() => void this.#scan(), this.#options.scanMs ?? usualScanMs)
  }

  async #scan(): Promise<void> {
    const state = await stateOf(this.#options)
    if (this.#isClosed) return
    if (this.#state !== state) this.#options.onChange(undefined)
    this.#state = state
    this.#scanLater()
  }
}

/** Changes with the names, sizes and times of the files. */
async function stateOf({ kind, root }: FolderWatchOptions): Promise<string> {
  const hash = createHash("sha256")
  const waiting = [root]
  let entries = 0
  for (let path = waiting.pop(); path !== undefined && entries < MAX_SCANNED; path = waiting.pop()) {
    const found = await lstat(path).catch(() => undefined)
    hash.update(`${path}\0${found?.size}\0${found?.mtimeMs}\0`)
    const inside = kind === "folder" && found?.isDirectory() === true ? await entriesOf(path) : []
    entries += inside.length
    for (const entry of inside) if (isSearched(entry.name)) waiting.push(join(path, entry.name))
  }
  return hash.digest("hex")
}

function entriesOf(path: string): Promise<readonly Dirent[]> {
  return readdir(path, { withFileTypes: true }).catch(() => [])
}
