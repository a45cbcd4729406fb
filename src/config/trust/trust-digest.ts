// Digest of a folder's project files and of what they make the host start or load. Follows folders and links; skips .git.
// A folder that cannot be read completely cannot be trusted: a change could hide there. Reads are synchronous, which is
// much faster for small files, with a pause after about every megabyte.
import { createHash } from "node:crypto"
import { closeSync, openSync, readdirSync, readSync } from "node:fs"
import { join, resolve } from "node:path"
import { setImmediate } from "node:timers/promises"
import { describeError } from "../faults.ts"
import type { Environment } from "../home.ts"
import { namedFiles } from "./named-files.ts"
import { look, projectFilesIn, realPathOf } from "./project-files.ts"

const MAX_ENTRIES = 10_000
const MAX_BYTES = 256 * 1024 * 1024
const bytesBetweenPauses = 1024 * 1024
const pieceBytes = 256 * 1024
/** Cost of one entry, in bytes read. */
const entryCost = 10_000

export type ProjectDigest =
  | { readonly kind: "digest"; readonly digest: string }
  | { readonly kind: "unfit"; readonly what: string }

export async function digestProject(
  folder: string,
  home: string,
  env: Environment = process.env,
): Promise<ProjectDigest> {
  const walk: Walk = {
    folder,
    lines: [],
    seen: new Set([realPathOf(home)]),
    bytes: 0,
    sincePause: 0,
    piece: Buffer.alloc(pieceBytes),
  }
  try {
    for (const file of projectFilesIn(folder, home)) await visit(walk, file)
    for (const file of await namedFiles(folder, env)) await visit(walk, file)
  } catch (error) {
    const what = error instanceof Unfit ? error.message : describeError(error)
    return { kind: "unfit", what: `${folder} cannot be trusted: ${what}.` }
  }
  return { kind: "digest", digest: `sha256:${createHash("sha256").update(walk.lines.join("\n")).digest("hex")}` }
}

interface Walk {
  readonly folder: string
  readonly lines: string[]
  /** Real paths of visited folders, so that link cycles end. */
  readonly seen: Set<string>
  bytes: number
  sincePause: number
  /** The last chunk. */
  readonly piece: Buffer
}

class Unfit extends Error {}

async function visit(walk: Walk, name: string): Promise<void> {
  if (walk.lines.length >= MAX_ENTRIES) throw new Unfit(`it has more than ${MAX_ENTRIES} project files`)
  const path = resolve(walk.folder, name)
  const found = look(path)
  if (found.kind === "other") throw new Unfit(`${name} is neither a file nor a folder`)
  if (found.kind === "closed") throw new Unfit(`${name} cannot be read`)
  walk.lines.push(JSON.stringify([name, found.kind === "file" ? await contentOf(walk, path) : found.kind]))
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
  const descriptor = openSync(path, "r")
  try {
    for (let length = readSync(descriptor, piece); length > 0; length = readSync(descriptor, piece)) {
      hash.update(piece.subarray(0, length))
      walk.bytes += length
      if (walk.bytes > MAX_BYTES) throw new Unfit(`its project files have more than ${MAX_BYTES / 1024 / 1024} MiB`)
      await pauseNowAndThen(walk, length)
    }
  } finally {
    closeSync(descriptor)
  }
  return hash.digest("hex")
}
