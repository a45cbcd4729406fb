// Key-value memory of extensions: one file each, one JSON record per line, newest last, of limited size. A line that a
// crash cut off is skipped.
import { appendFileSync, mkdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { MemoryAppend, MemoryQuery, MemoryRecord } from "../protocols/extension/frames.ts"
import { asciiJson } from "../protocols/json-text.ts"
import { checks } from "../protocols/extension/generated/frames.js"

const maxContentBytes = 16 * 1024
const maxFileBytes = 64 * 1024 * 1024
const DEFAULT_LIMIT = 50
/** Bytes of one response; frame readers have limits, too. */
const maxAnswerBytes = 3 * 1024 * 1024

export type AppendResult =
  | { readonly kind: "ok"; readonly timestampMs: number }
  | { readonly kind: "refused"; readonly reason: string }

export class ExtensionMemory {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  append({ namespace, content, tags, meta = null }: MemoryAppend, now: number): AppendResult {
    const bytes = Buffer.byteLength(content)
    if (bytes > maxContentBytes) return refused(`content of ${bytes} bytes is more than ${maxContentBytes}`)
    const file = this.#file(namespace)
    const found = statSync(file, { throwIfNoEntry: false })
    if (found?.isFile() === false) return refused(`the memory of ${namespace} is not a file`)
    const size = found?.size ?? 0
    if (size > maxFileBytes) return refused(`the memory of ${namespace} is full: ${size} bytes`)
    const record: MemoryRecord = { namespace, timestamp_ms: now, content, tags: tags ?? [], meta }
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    appendFileSync(file, `${JSON.stringify(record)}\n`, { mode: 0o600 })
    return { kind: "ok", timestampMs: now }
  }

  /** Newest first. */
  query(query: MemoryQuery): readonly MemoryRecord[] {
    const file = this.#file(query.namespace)
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return [] // a pipe would block the host
    const records = readFileSync(file, "utf8").split("\n").flatMap(recordIn)
    const found = records.filter((record) => fits(record, query)).toReversed()
    return withinBytes(found.slice(0, query.limit ?? DEFAULT_LIMIT))
  }

  #file(namespace: string): string {
    return join(this.#folder, `${namespace}.jsonl`)
  }
}

function fits({ content, tags, timestamp_ms: at }: MemoryRecord, query: MemoryQuery): boolean {
  const { content_contains: part, tag_prefix: tag, since_ms: since, until_ms: until } = query
  if (typeof part === "string" && !content.toLowerCase().includes(part.toLowerCase())) return false
  if (typeof tag === "string" && !tags.some((one) => one.startsWith(tag))) return false
  return at >= (since ?? -Infinity) && at <= (until ?? Infinity)
}

/** The leading records that fit into one response. */
function withinBytes(records: readonly MemoryRecord[]): readonly MemoryRecord[] {
  let remainingBytes = maxAnswerBytes
  const tooLarge = records.findIndex((record) => (remainingBytes -= asciiJson(record).length + 1) < 0)
  return tooLarge === -1 ? records : records.slice(0, tooLarge)
}

function recordIn(line: string): readonly MemoryRecord[] {
  if (line === "") return []
  try {
    const value: unknown = JSON.parse(line)
    return checks["memory.record"](value) ? [value] : []
  } catch {
    return [] // cut off by a crash; the other lines are intact
  }
}

function refused(reason: string): AppendResult {
  return { kind: "refused", reason }
}
