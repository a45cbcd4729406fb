// The files beside a session's socket: its token and its description. Only the owner can read them, whatever the umask;
// they appear whole, and only those that this process wrote are removed.
import { randomBytes } from "node:crypto"
import { closeSync, fchmodSync, fstatSync, openSync, renameSync, rmSync, writeFileSync, type Stats } from "node:fs"
import { dirname, join } from "node:path"
import type { AgentFiles } from "../../protocols/ipc/agent-paths.ts"
import { encodeMetadata } from "../../protocols/ipc/codec.ts"
import type { AgentMetadata } from "../../protocols/ipc/frames.ts"
import { fileAt, removeOwn } from "../../transports/claimed-socket.ts"

export class OwnFiles {
  readonly token: string
  readonly #paths: AgentFiles
  readonly #written = new Map<string, Stats>()
  #metadata: AgentMetadata
  #storedMetadata: AgentMetadata | undefined
  #isRemoved = false

  constructor(paths: AgentFiles, token: string, metadata: AgentMetadata) {
    this.#paths = paths
    this.token = token
    this.#metadata = metadata
  }

  write(): void {
    this.#put(this.#paths.token, this.token)
    this.#writeMetadata()
  }

  /** Writes the token again if its file was deleted. */
  ensureToken(): void {
    if (!this.#isRemoved && fileAt(this.#paths.token) === undefined) this.#put(this.#paths.token, this.token)
  }

  /** A new time of the last activity alone is written with the next change. */
  describe(change: Partial<AgentMetadata>): void {
    this.#metadata = { ...this.#metadata, ...change }
    if (!this.#isRemoved && !isSame(this.#metadata, this.#storedMetadata)) this.#writeMetadata()
  }

  remove(): void {
    this.#isRemoved = true
    for (const [path, stats] of this.#written) removeOwn(path, stats)
  }

  #writeMetadata(): void {
    this.#put(this.#paths.metadata, encodeMetadata(this.#metadata))
    this.#storedMetadata = this.#metadata
  }

  #put(path: string, text: string): void {
    const temporary = join(dirname(path), `.${randomBytes(6).toString("hex")}`)
    try {
      const stats = writeNew(temporary, text)
      renameSync(temporary, path)
      this.#written.set(path, stats)
    } catch (fault) {
      rmSync(temporary, { force: true }) // leave no partial file on a full disk
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
