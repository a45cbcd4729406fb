// Digest of files and folders. Follows folders and links; skips .git. A folder that cannot be read completely has none: a
// change could hide there. Reads are synchronous, which is much faster for small files, with a pause after about every
// megabyte.
import { createHash } from "node:crypto"
import { closeSync, openSync, readdirSync, readSync } from "node:fs"
import { join, resolve } from "node:path"
import { setImmediate } from "node:timers/promises"
import { describeError } from "./faults.ts"
import { look, realPathOf } from "./trust/project-files.ts"

const MAX_ENTRIES = 10_000
const MAX_BYTES = 256 * 1024 * 1024
const bytesBetweenPauses = 1024 * 1024
const pieceBytes = 256 * 1024
/** Cost of one entry, in bytes read. */
const entryCost = 10_000

export interface TreeRequest {
  readonly folder: string
  /** Paths of files and folders, relative to it or absolute. Each is visited before the next is requested. */
  readonly names: Iterable<string> | AsyncIterable<string>
  /** Real paths of folders that are left out. */
  readonly without?: readonly string[]
  /** Paths that are left out, with everything in them. */
  readonly isIgnored?: (name: string) => boolean
  /** What the files are called in a reason. */
  readonly noun?: string
}

export type TreeDigest =
  | {
      readonly kind: "digest"
      readonly digest: string
      /** By path: the hash of a file, or what else it is. */
      readonly entries: ReadonlyMap<string, string>
    }
  /** The reason is a sentence without its beginning: `x cannot be read`. */
  | { readonly kind: "unfit"; readonly why: string }

export async function digestTree(request: TreeRequest): Promise<TreeDigest> {
  const walk: Walk = {
    request,
    lines: [],
    entries: new Map(),
    seen: new Set(request.without),
    bytes: 0,
    sincePause: 0,
    piece: Buffer.alloc(pieceBytes),
  }
  try {
    for await (const name of request.names) await visit(walk, name)
  } catch (error) {
    return { kind: "unfit", why: error instanceof Unfit ? error.message : describeError(error) }
  }
  const digest = `sha256:${createHash("sha256").update(walk.lines.join("\n")).digest("hex")}`
  return { kind: "digest", digest, entries: walk.entries }
}

interface Walk {
  readonly request: TreeRequest
  /** One for each visit: a path may be visited twice. */
  readonly lines: string[]
  readonly entries: Map<string, string>
  /** Real paths of visited folders, so that link cycles end. */
  readonly seen: Set<string>
  bytes: number
  sincePause: number
  /** The last chunk. */
  readonly piece: Buffer
}

class Unfit extends Error {}

async function visit(walk: Walk, name: string): Promise<void> {
  const { folder, noun = "files", isIgnored = () => false } = walk.request
  if (isIgnored(name)) return
  if (walk.lines.length >= MAX_ENTRIES) throw new Unfit(`it has more than ${MAX_ENTRIES} ${noun}`)
  const path = resolve(folder, name)
  const found = look(path)
  if (found.kind === "other") throw new Unfit(`${name} is neither a file nor a folder`)
  if (found.kind === "closed") throw new Unfit(`${name} cannot be read`)
  const content = found.kind === "file" ? await contentOf(walk, path) : found.kind
  walk.lines.push(JSON.stringify([name, content]))
  walk.entries.set(name, content)
  await pauseNowAndThen(walk, entryCost)
  if (found.kind === "folder") await visitInside(walk, name, path)
}

async function visitInside(walk: Walk, name: string, path: string): Promise<void> {
  const real = realPathOf(path)
  if (walk.seen.has(real)) return
  walk.seen.add(real)
  const entries = readdirSync(path).filter((entry) => entry !== ".git")
  for (const inner of entries.toSorted()) await visit(walk, join(name, inner))
}

async function pauseNowAndThen(walk: Walk, cost: number): Promise<void> {
  walk.sincePause += cost
  if (walk.sincePause < bytesBetweenPauses) return
  walk.sincePause = 0
  await setImmediate()
}

/** In chunks: a program may be large. */
async function contentOf(walk: Walk, path: string): Promise<string> {
  const hash = createHash("sha256")
  const { piece } = walk
  const { noun = "files" } = walk.request
  const descriptor = openSync(path, "r")
  try {
    for (let length = readSync(descriptor, piece); length > 0; length = readSync(descriptor, piece)) {
      hash.update(piece.subarray(0, length))
      walk.bytes += length
      if (walk.bytes > MAX_BYTES) throw new Unfit(`its ${noun} have more than ${MAX_BYTES / 1024 / 1024} MiB`)
      await pauseNowAndThen(walk, length)
    }
  } finally {
    closeSync(descriptor)
  }
  return hash.digest("hex")
}
