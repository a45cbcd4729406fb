// The documents that are open in a language server. A document that another program has changed since is closed, so that
// the server reads it from the disk again.
import { statSync } from "node:fs"
import { languageIdOf } from "./language-ids.ts"
import type { ProblemCounts } from "./problems.ts"
import { uriOf } from "./protocol.ts"

interface Document {
  version: number
  /** State of the file after the last check. */
  stamp?: string | undefined
  /** Problems of the last check. */
  known?: ProblemCounts | undefined
}

interface Change {
  readonly realPath: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** More than one change of files can have. The one that was written longest ago is closed. */
const MAX_OPEN = 64
const fileEvents = { created: 1, changed: 2, deleted: 3 } as const

export class OpenDocuments {
  /** By path, the one that was written longest ago first. */
  readonly #documents = new Map<string, Document>()
  readonly #notify: (method: string, params: object) => void

  constructor(notify: (method: string, params: object) => void) {
    this.#notify = notify
  }

  has(path: string): boolean {
    return this.#documents.has(path)
  }

  versionOf(path: string): number {
    return this.#documents.get(path)?.version ?? 0
  }

  known(path: string): ProblemCounts | undefined {
    return this.#documents.get(path)?.known
  }

  remember(path: string, known: ProblemCounts): void {
    const document = this.#documents.get(path)
    if (document !== undefined) document.known = known
  }

  /** Reports which files have changed on the disk: these, and open ones that other programs have changed. */
  announce(changes: readonly Change[]): void {
    const own = new Set(changes.map(({ realPath }) => realPath))
    const others = [...this.#documents].filter(([path, { stamp }]) => !own.has(path) && stampOf(path) !== stamp)
    const events = [
      ...changes.map(({ realPath, ...change }) => ({ uri: uriOf(realPath), type: fileEvents[kindOf(change)] })),
      ...others.map(([path]) => ({ uri: uriOf(path), type: fileEvents.changed })),
    ]
    for (const [path] of others) this.#close(path)
    for (const { realPath, after } of changes) if (after === undefined) this.#close(realPath)
    this.#notify("workspace/didChangeWatchedFiles", { changes: events })
  }

  write(path: string, text: string): void {
    const document = this.#documents.get(path) ?? { version: 0 }
    const isOpen = document.version > 0
    document.version += 1
    this.#documents.delete(path)
    this.#documents.set(path, document)
    const textDocument = { uri: uriOf(path), version: document.version }
    if (isOpen) this.#notify("textDocument/didChange", { textDocument, contentChanges: [{ text }] })
    else {
      const languageId = languageIdOf(path)
      this.#notify("textDocument/didOpen", { textDocument: { ...textDocument, languageId, text } })
    }
    const [oldest] = this.#documents.keys()
    if (this.#documents.size > MAX_OPEN && oldest !== undefined) this.#close(oldest)
  }

  stamp(changes: readonly Pick<Change, "realPath">[]): void {
    for (const { realPath } of changes) {
      const document = this.#documents.get(realPath)
      if (document !== undefined) document.stamp = stampOf(realPath)
    }
  }

  #close(path: string): void {
    if (!this.#documents.delete(path)) return
    this.#notify("textDocument/didClose", { textDocument: { uri: uriOf(path) } })
  }
}

function kindOf({ before, after }: Omit<Change, "realPath">): keyof typeof fileEvents {
  if (after === undefined) return "deleted"
  return before === undefined ? "created" : "changed"
}

/** Undefined if the file cannot be looked at. */
function stampOf(path: string): string | undefined {
  try {
    const { mtimeNs, size } = statSync(path, { bigint: true })
    return `${mtimeNs} ${size}`
  } catch {
    return undefined // gone, or no longer accessible: it counts as changed
  }
}
