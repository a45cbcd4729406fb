// What a folder's project files say, as one digest. Folders and links among them are followed; a large file counts by
// its size and time. A folder that cannot be digested whole is unfit to be trusted: a part that nobody looked at is
// where a change would hide. Reads are synchronous, which is many times faster for small files, with a pause for others
// after every megabyte or so.
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, type Stats } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { inWords } from "./file-errors.ts"
import { look, projectFilesIn, realPathOf } from "./project-files.ts"

const mostEntries = 2000
const mostBytesRead = 1024 * 1024
const bytesBetweenPauses = 1024 * 1024
/** What looking at one entry costs, as bytes read. */
const entryCost = 10_000

export type ProjectDigest =
  | { readonly kind: "digest"; readonly digest: string }
  | { readonly kind: "unfit"; readonly what: string }

export async function digestProject(folder: string, home: string): Promise<ProjectDigest> {
  const walk: Walk = { folder, lines: [], seen: new Set([realPathOf(home)]), sincePause: 0 }
  try {
    for (const file of projectFilesIn(folder, home)) await visit(walk, file)
  } catch (error) {
    const what = error instanceof Unfit ? error.message : inWords(error)
    return { kind: "unfit", what: `${folder} cannot be trusted: ${what}.` }
  }
  return { kind: "digest", digest: `sha256:${createHash("sha256").update(walk.lines.join("\n")).digest("hex")}` }
}

interface Walk {
  readonly folder: string
  readonly lines: string[]
  /** Real paths of the folders that were entered: a link that leads back is not followed again. */
  readonly seen: Set<string>
  sincePause: number
}

class Unfit extends Error {}

async function visit(walk: Walk, name: string): Promise<void> {
  if (walk.lines.length >= mostEntries) throw new Unfit(`it has more than ${mostEntries} project files`)
  const path = join(walk.folder, name)
  const found = look(path)
  if (found.kind === "other") throw new Unfit(`${name} is neither a file nor a folder`)
  if (found.kind === "closed") throw new Unfit(`${name} cannot be read`)
  walk.lines.push(JSON.stringify([name, found.kind === "file" ? contentOf(path, found.stats) : found.kind]))
  await pauseNowAndThen(walk, found.kind === "file" ? Math.min(found.stats.size, mostBytesRead) : 0)
  if (found.kind === "folder") await visitInside(walk, name, path)
}

async function visitInside(walk: Walk, name: string, path: string): Promise<void> {
  const real = realPathOf(path)
  if (walk.seen.has(real)) return
  walk.seen.add(real)
  for (const inner of readdirSync(path).toSorted()) await visit(walk, join(name, inner))
}

async function pauseNowAndThen(walk: Walk, bytes: number): Promise<void> {
  walk.sincePause += bytes + entryCost
  if (walk.sincePause < bytesBetweenPauses) return
  walk.sincePause = 0
  await setImmediate()
}

function contentOf(path: string, { size, mtimeMs }: Stats): string {
  if (size > mostBytesRead) return `${size} bytes of ${mtimeMs}`
  return createHash("sha256").update(readFileSync(path)).digest("hex")
}
