// The files beside an agent's socket: its token and its description. Nobody but the owner can read them, whatever the
// umask; they appear whole, and only those that this agent wrote are removed when it leaves.
import { randomBytes } from "node:crypto"
import { closeSync, fchmodSync, fstatSync, openSync, renameSync, rmSync, writeFileSync, type Stats } from "node:fs"
import { dirname, join } from "node:path"
import { encodeMetadata } from "../../protocols/ipc/encode.ts"
import type { AgentMetadata } from "../../protocols/ipc/frames.ts"
import type { AgentFiles } from "../../protocols/ipc/agent-paths.ts"
import { fileAt, removeOwn } from "../../transports/claimed-socket.ts"

export class OwnFiles {
  readonly token: string
  readonly #places: AgentFiles
  readonly #own = new Map<string, Stats>()
  #metadata: AgentMetadata
  /** What stands in the file. */
  #described: AgentMetadata | undefined
  #isGone = false

  constructor(places: AgentFiles, token: string, metadata: AgentMetadata) {
    this.#places = places
    this.token = token
    this.#metadata = metadata
  }

  write(): void {
    this.#put(this.#places.token, this.token)
    this.#describe()
  }

  /** Somebody may have tidied up too well. */
  ensureToken(): void {
    if (!this.#isGone && fileAt(this.#places.token) === undefined) this.#put(this.#places.token, this.token)
  }

  /** When only the time of the last activity is new, it waits for the next change. */
  describe(change: Partial<AgentMetadata>): void {
    this.#metadata = { ...this.#metadata, ...change }
    if (!this.#isGone && !isSame(this.#metadata, this.#described)) this.#describe()
  }

  remove(): void {
    this.#isGone = true
    for (const [path, own] of this.#own) removeOwn(path, own)
  }

  #describe(): void {
    this.#put(this.#places.metadata, encodeMetadata(this.#metadata))
    this.#described = this.#metadata
  }

  #put(path: string, text: string): void {
    const fresh = join(dirname(path), `.${randomBytes(6).toString("hex")}`)
    try {
      const own = writeNew(fresh, text)
      renameSync(fresh, path)
      this.#own.set(path, own)
    } catch (fault) {
      rmSync(fresh, { force: true }) // nothing half done stays on a full disk
      throw fault
    }
  }
}

function writeNew(path: string, text: string): Stats {
  const file = openSync(path, "wx", 0o600)
  try {
    fchmodSync(file, 0o600)
    writeFileSync(file, text)
    return fstatSync(file)
  } finally {
    closeSync(file)
  }
}

function isSame(now: AgentMetadata, before: AgentMetadata | undefined): boolean {
  if (before === undefined) return false
  return encodeMetadata({ ...now, last_activity: before.last_activity }) === encodeMetadata(before)
}
