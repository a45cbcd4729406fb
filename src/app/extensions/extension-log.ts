// Log files for the stderr of extensions, one per extension, with secrets removed. A large file is rotated once.
import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs"
import { join } from "node:path"

const maxBytes = 1024 * 1024

export class ExtensionLog {
  readonly #folder: string
  readonly #scrub: (line: string) => string
  readonly #sizes = new Map<string, number>()

  constructor(folder: string, scrub: (line: string) => string) {
    this.#folder = folder
    this.#scrub = scrub
  }

  write(id: string, line: string): void {
    const file = join(this.#folder, `${id}.log`)
    const text = `${new Date().toISOString()} ${this.#scrub(line)}\n`
    const size = this.#sizes.get(id) ?? this.#begin(file)
    const isFull = size > maxBytes
    if (isFull) renameSync(file, `${file}.old`)
    appendFileSync(file, text, { mode: 0o600 })
    this.#sizes.set(id, (isFull ? 0 : size) + Buffer.byteLength(text))
  }

  #begin(file: string): number {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    return statSync(file, { throwIfNoEntry: false })?.size ?? 0
  }
}
