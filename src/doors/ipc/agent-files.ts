// The files beside a session's socket: its token and its description. Only the owner can read them, whatever the umask;
// they appear whole, and only those that this process wrote are removed.
import { randomBytes } from "node:crypto"
import {
  closeSync,
  fchmodSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  type Stats,
} from "node:fs"
import { dirname, join } from "node:path"
import type { AgentFiles } from "../../protocols/ipc/agent-paths.ts"
import { encodeMetadata } from "../../protocols/ipc/codec.ts"
import type { AgentMetadata } from "../../protocols/ipc/frames.ts"
import { fileAt, removeOwn } from "../../transports/claimed-socket.ts"

const BUSY_DELAY_MS = 50

export class OwnFiles {
  readonly token: string
  readonly #paths: AgentFiles
  readonly #written = new Map<string, Stats>()
  #metadata: AgentMetadata
  #storedMetadata: AgentMetadata | undefined
  #isRemoved = false
  /** Set while a changed description waits to be written. */
  #pending: NodeJS.Timeout | undefined
  readonly #onFault: (fault: unknown) => void

  constructor(paths: AgentFiles, token: string, metadata: AgentMetadata, onFault: (fault: unknown) => void) {
    this.#onFault = onFault
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

  /**
   * A new time of the last activity alone is written with the next change. Whether it is busy is written a moment later: the file is
   * not on the way from a prompt to the model, and a short turn does not write it at all.
   */
  describe(change: Partial<AgentMetadata>): void {
    this.#metadata = { ...this.#metadata, ...change }
    if (this.#isRemoved || this.#storedMetadata === undefined || this.#isReplaced) return
    const changed = changedFields(this.#metadata, this.#storedMetadata)
    if (changed.some((field) => field !== "is_busy")) return this.#writeMetadata()
    if (changed.length > 0) this.#pending ??= setTimeout(() => this.#writeLate(), BUSY_DELAY_MS).unref()
  }

  remove(): void {
    this.#isRemoved = true
    clearTimeout(this.#pending)
    if (this.#isReplaced) return
    for (const [path, stats] of this.#written) removeOwn(path, stats)
  }

  #writeLate(): void {
    this.#pending = undefined
    const { is_busy } = this.#metadata
    if (this.#isRemoved || is_busy === this.#storedMetadata?.is_busy || this.#isReplaced) return
    try {
      this.#writeMetadata()
    } catch (fault) {
      this.#onFault(fault)
    }
  }

  /**
   * Another process has the socket by now: this one was suspended, and a timer that was due runs before it learns of that. The files do
   * not tell it: their inodes are used again.
   */
  get #isReplaced(): boolean {
    return fileAt(this.#paths.token) !== undefined && readFileSync(this.#paths.token, "utf8") !== this.token
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

/** Without the time of the last activity. */
function changedFields(now: AgentMetadata, before: AgentMetadata): readonly string[] {
  const { last_activity: _, ...fields } = now
  const old: Readonly<Record<string, unknown>> = before
  return Object.entries(fields).flatMap(([name, value]) => ((value ?? null) === (old[name] ?? null) ? [] : [name]))
}
