// The state of files that a session has read, so that a later change by another program is noticed before it is
// overwritten, also by a later host of the session (memory-store.ts).
import { createHash, type Hash } from "node:crypto"
import type { BigIntStats } from "node:fs"
import type { SessionId } from "../../contract/ids.ts"
import type { GuardFolders } from "./held-folder.ts"
import type { GuardPath } from "./paths.ts"
import type { ToolContext } from "../tool.ts"
import type { DiagnoseFiles } from "../diagnostics/language-servers.ts"

export interface Fingerprint {
  readonly modified: bigint
  readonly changed: bigint
  readonly size: bigint
  /** Of the whole content; absent for large files, which are compared by times and size. */
  readonly hash: string | undefined
}

/** Files up to this size are hashed whole. */
export const hashedBytes = 8 * 1024 * 1024

const rememberedFiles = 10_000

/** What outlives the host. */
export interface FileMemoryStore {
  /** By key of the file. */
  load(): Map<string, Fingerprint>
  /** `all` has everything that is remembered, the newest last. */
  add(realPath: string, fingerprint: Fingerprint, all: ReadonlyMap<string, Fingerprint>): void
  keyOf(realPath: string): string
}

const inMemory: FileMemoryStore = { load: () => new Map(), add: () => {}, keyOf: (realPath) => realPath }

export class FileMemory {
  readonly #store: FileMemoryStore
  #loaded: Map<string, Fingerprint> | undefined

  constructor(store: FileMemoryStore = inMemory) {
    this.#store = store
  }

  remember(realPath: string, fingerprint: Fingerprint): void {
    const key = this.#store.keyOf(realPath)
    this.#fingerprints.delete(key)
    this.#fingerprints.set(key, fingerprint)
    const [oldest] = this.#fingerprints.keys()
    if (this.#fingerprints.size > rememberedFiles && oldest !== undefined) this.#fingerprints.delete(oldest)
    this.#store.add(realPath, fingerprint, this.#fingerprints)
  }

  recall(realPath: string): Fingerprint | undefined {
    return this.#fingerprints.get(this.#store.keyOf(realPath))
  }

  /** Loaded by the first tool that needs it. */
  get #fingerprints(): Map<string, Fingerprint> {
    this.#loaded ??= this.#store.load()
    return this.#loaded
  }
}

export function fingerprintOf(stat: BigIntStats, hash: string | undefined): Fingerprint {
  return { modified: stat.mtimeNs, changed: stat.ctimeNs, size: stat.size, hash }
}

/** By content where both hashes are known. */
export function isSame(a: Fingerprint, b: Fingerprint): boolean {
  if (a.hash !== undefined && b.hash !== undefined) return a.hash === b.hash
  return a.modified === b.modified && a.changed === b.changed && a.size === b.size
}

export function newHash(): Hash {
  return createHash("sha256")
}

export interface FileToolDeps {
  readonly guardPath: GuardPath
  /** By identity instead of name: a folder that was moved stays forbidden. */
  readonly guardFolders: GuardFolders
  /** Paths that searches in this working folder leave out, because the configuration denies reading them. */
  readonly unsearched?: ((cwd: string) => (realPath: string) => boolean) | undefined
  readonly fileMemoryFor: (sessionId: SessionId) => FileMemory
  /** Runs on files that were changed, where a formatter is configured. */
  readonly format?: FormatFile | undefined
  /** Checks files that were changed, where language servers are configured. */
  readonly diagnose?: DiagnoseFiles | undefined
}

/** Undefined where the file needs no formatter or was formatted, or else what went wrong. */
export type FormatFile = (
  file: { readonly realPath: string; readonly displayPath: string },
  context: ToolContext,
) => Promise<string | undefined>
