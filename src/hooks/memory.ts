// What extensions remember: one file for each, a record in each line, newest last. A line that is no record (a write that
// a crash has cut off) is passed over. A file has a limit, past which nothing more is taken.
import { appendFileSync, mkdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { MemoryAppend, MemoryQuery, MemoryRecord } from "../protocols/extension/frames.ts"
import { asciiJson } from "../protocols/ascii-json.ts"
import { checks } from "../protocols/extension/generated/frames.js"

const maxContentBytes = 16 * 1024
const maxFileBytes = 64 * 1024 * 1024
const usualLimit = 50
/** Of one answer, as it goes out. Readers of frames have limits too. */
const maxAnswerBytes = 3 * 1024 * 1024

export type Remembered =
  | { readonly kind: "ok"; readonly timestampMs: number }
  | { readonly kind: "refused"; readonly why: string }

export class ExtensionMemory {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  append({ namespace, content, tags, meta = null }: MemoryAppend, now: number): Remembered {
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
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return [] // a pipe would keep the host waiting
    const records = readFileSync(file, "utf8").split("\n").flatMap(recordIn)
    const found = records.filter((record) => fits(record, query)).toReversed()
    return withinBytes(found.slice(0, query.limit ?? usualLimit))
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

/** As many from the beginning as fit into an answer. */
function withinBytes(records: readonly MemoryRecord[]): readonly MemoryRecord[] {
  let room = maxAnswerBytes
  const tooMuch = records.findIndex((record) => (room -= asciiJson(record).length + 1) < 0)
  return tooMuch === -1 ? records : records.slice(0, tooMuch)
}

function recordIn(line: string): readonly MemoryRecord[] {
  if (line === "") return []
  try {
    const value: unknown = JSON.parse(line)
    return checks["memory.record"](value) ? [value] : []
  } catch {
    return [] // cut off by a crash: what came before and after it is whole
  }
}

function refused(why: string): Remembered {
  return { kind: "refused", why }
}
