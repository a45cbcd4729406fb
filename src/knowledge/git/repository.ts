// A bare copy of the newest commit of a repository, in the cache of the home: fetched without history, listed and read
// without a checkout. Nothing of the repository is executed, and no name of it becomes a path on the disk.
import { existsSync } from "node:fs"
import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { ExtractFault } from "../extract/extract-limits.ts"
import { SourceFault } from "../ingest/source-fault.ts"
import { gitReason } from "./git-reason.ts"
import { endGroup, runSafeGit, startSafeGit, type GitRun, type GitRunEnd } from "./safe-git.ts"

export interface TrackedFile {
  readonly path: string
  /** Of its content. */
  readonly objectId: string
  readonly bytes: number
}

export interface Repository {
  readonly location: string
  /** The bare copy. */
  readonly folder: string
  readonly signal: AbortSignal
  readonly onProgress: (line: string) => void
}

const FETCH_MS = 600_000
const LIST_MS = 120_000
/** Entries of a tree that are looked at: trees can name each other and unfold to billions of files. */
const MAX_ENTRIES = 200_000
const MAX_RECORD = 16 * 1024
const newest = "refs/turnhouse/newest"
const flags = ["--depth=1", "--no-tags", "--no-recurse-submodules", "--force", "--progress", "--update-shallow"]

/** Returns the commit. Throws SourceFault. */
export async function fetchNewest(repository: Repository): Promise<string> {
  const { location } = repository
  await prepare(repository)
  const fetched = await run(
    repository,
    ["-c", "http.followRedirects=false", "fetch", ...flags, "--", location, `+HEAD:${newest}`],
    {
      timeoutMs: FETCH_MS,
    },
  )
  if (fetched.code === "late")
    throw new SourceFault(`${location}: git did not finish within ${FETCH_MS / 60_000} minutes`)
  if (fetched.code !== 0)
    throw new SourceFault(
      `${location} cannot be fetched: ${gitReason(fetched.stderr) || `git ended with ${fetched.code}`}`,
    )
  let commit = ""
  await run(repository, ["rev-parse", "--verify", `${newest}^{commit}`], {
    timeoutMs: LIST_MS,
    onOutput: (chunk) => (commit += chunk.toString("latin1").slice(0, 100)),
  })
  if (!/^[0-9a-f]{40,64}\n$/.test(commit)) throw new SourceFault(`${location} has no commit`)
  return commit.trim()
}

/** A folder that is no repository, such as one that was half written when its process was killed, is made again. */
async function prepare(repository: Repository): Promise<void> {
  const { folder } = repository
  if (existsSync(folder)) {
    for (const lock of ["shallow.lock", "HEAD.lock", "config.lock", "packed-refs.lock", `${newest}.lock`])
      await rm(join(folder, lock), { force: true }) // the run of a source is the only one that uses its copy
    const { code } = await run(repository, ["rev-parse", "--git-dir"], { timeoutMs: LIST_MS })
    if (code === 0) return
    await rm(folder, { recursive: true, force: true })
  }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const made = await run(repository, ["init", "--bare", "--quiet", "--template="], { timeoutMs: LIST_MS })
  if (made.code === "missing") throw new SourceFault("git is not installed. Install it, or add the files as a folder.")
  if (made.code !== 0) throw new SourceFault(`${folder} cannot be made: ${gitReason(made.stderr)}`)
}

async function run(
  { folder, location, signal, onProgress }: Repository,
  args: readonly string[],
  more: Pick<GitRun, "timeoutMs" | "onOutput">,
): Promise<GitRunEnd> {
  const ended = await runSafeGit([`--git-dir=${folder}`, ...args], { location, signal, onProgress, ...more })
  signal.throwIfAborted()
  return ended
}

/** Files of a commit, without links and submodules. Throws SourceFault. */
export async function trackedFiles(repository: Repository, commit: string): Promise<readonly TrackedFile[]> {
  const files: TrackedFile[] = []
  const stop = new AbortController()
  let entries = 0
  let rest = Buffer.alloc(0)
  const onOutput = (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    for (let end = rest.indexOf(0); end !== -1; end = rest.indexOf(0)) {
      const file = fileOf(rest.subarray(0, end))
      rest = rest.subarray(end + 1)
      entries += 1
      if (file !== undefined && entries <= MAX_ENTRIES) files.push(file)
    }
    if (entries > MAX_ENTRIES || rest.byteLength > MAX_RECORD) stop.abort()
  }
  const { folder, location, signal } = repository
  const ended = await runSafeGit([`--git-dir=${folder}`, "ls-tree", "-r", "-z", "--long", "--full-tree", commit], {
    location,
    signal: AbortSignal.any([signal, stop.signal]),
    timeoutMs: LIST_MS,
    onOutput,
  })
  signal.throwIfAborted()
  if (stop.signal.aborted) throw new SourceFault(`${location} has more than ${MAX_ENTRIES} files`)
  if (ended.code !== 0) throw new SourceFault(`${location} cannot be listed: ${gitReason(ended.stderr)}`)
  return files
}

/** `100644 blob OBJECT SIZE⇥PATH`. Undefined for what is no file, and for names that are not UTF-8. */
function fileOf(record: Uint8Array): TrackedFile | undefined {
  const tab = record.indexOf(9)
  const [mode = "", kind = "", objectId = "", size = ""] = Buffer.from(record.subarray(0, tab))
    .toString("latin1")
    .split(/ +/)
  if (kind !== "blob" || !mode.startsWith("100")) return undefined
  const name = Buffer.from(record.subarray(tab + 1))
  const path = name.toString("utf8")
  return Buffer.from(path).equals(name) ? { path, objectId, bytes: Number(size) } : undefined
}

/** Reads contents one after the other from one process. */
export class ContentReader {
  readonly #child
  readonly #chunks: AsyncIterator<unknown>
  #rest = Buffer.alloc(0)

  constructor({ folder, location }: Pick<Repository, "folder" | "location">) {
    this.#child = startSafeGit([`--git-dir=${folder}`, "cat-file", "--batch"], location)
    this.#child.stderr.resume()
    this.#child.on("error", () => {}) // the reader sees the end of its output
    this.#chunks = this.#child.stdout[Symbol.asyncIterator]()
  }

  async read({ objectId, bytes }: TrackedFile): Promise<Buffer> {
    this.#child.stdin.write(`${objectId}\n`)
    const head = await this.#until((held) => held.indexOf(10) + 1)
    if (!head.toString("latin1").endsWith(` blob ${bytes}\n`)) throw new ExtractFault("git cannot read it")
    const content = await this.#until((held) => (held.byteLength > bytes ? bytes + 1 : 0))
    return content.subarray(0, bytes)
  }

  close(): void {
    this.#child.stdin.end()
    endGroup(this.#child)
  }

  async #until(lengthOf: (held: Buffer) => number): Promise<Buffer> {
    for (;;) {
      const length = lengthOf(this.#rest)
      if (length > 0) {
        const found = this.#rest.subarray(0, length)
        this.#rest = this.#rest.subarray(length)
        return found
      }
      const next = await this.#chunks.next()
      if (next.done === true || !(next.value instanceof Uint8Array)) throw new ExtractFault("git ended unexpectedly")
      this.#rest = Buffer.concat([this.#rest, next.value])
    }
  }
}
