// Snapshots of a folder in a shadow repository in the home. Incremental: the index remembers size and time of every file,
// and objects that the user's repository has are not stored again.
import { existsSync, lstatSync, realpathSync } from "node:fs"
import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { hash } from "node:crypto"
import { homedir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { entriesOf, shadowGit, userGit, type GitPlace, type GitResult } from "./git.ts"

export interface Tree {
  readonly tree: string
  /** The commit that was checked out in the user's repository. */
  readonly head?: string
  /** What the snapshot does not have, one phrase each. */
  readonly uncovered: readonly string[]
}

export type Snapshot =
  | ({ readonly kind: "taken"; readonly shadow: Shadow } & Tree)
  | { readonly kind: "none"; readonly reason: string }

export interface Shadow extends GitPlace {
  /** The excludes of the user's repository. */
  readonly excludeFile: string | undefined
  readonly home: string
}

/** A snapshot that takes longer is given up: the call must not wait for it. */
export const SNAPSHOT_TIMEOUT_MS = 10_000
const QUICK_MS = 5000
const MAX_NEW_FILES = 50_000
const MAX_NEW_BYTES = 1024 * 1024 * 1024
/** A new file that is larger is left out. */
const MAX_FILE_BYTES = 20 * 1024 * 1024
const MAX_NAMED = 10
/** Left out where no .gitignore says so. */
const usualExcludes = ["node_modules/", ".venv/", "__pycache__/"]

/** Creates the shadow repository of the folder of `cwd` when it is first needed. */
export async function openShadow(home: string, cwd: string, sessionId: string): Promise<Shadow | string> {
  const place = await userPlace(cwd)
  if (typeof place === "string") return place
  const gitDir = join(home, "snapshots", "folders", hash("sha256", place.top).slice(0, 16))
  const indexFile = join(gitDir, `index-${sessionId}`)
  const shadow = { gitDir, workTree: place.top, indexFile, home, excludeFile: place.excludeFile }
  if (!existsSync(join(gitDir, "folder"))) {
    const problem = await createShadow(shadow, place)
    if (problem !== undefined) return problem
  }
  if (!existsSync(indexFile)) await copyNewestIndex(gitDir, indexFile)
  await rm(`${indexFile}.lock`, { force: true }) // only the owner of the session writes it, so the lock is of a dead process
  return shadow
}

export async function takeSnapshot(shadow: Shadow): Promise<Snapshot> {
  const head = userGit(shadow.workTree, ["rev-parse", "--verify", "--quiet", "HEAD"], QUICK_MS)
  await writeExcludes(shadow, [])
  const listed = await shadowGit(shadow, ["ls-files", "--others", "--exclude-standard", "-z"], SNAPSHOT_TIMEOUT_MS)
  if (listed.kind !== "done") return { kind: "none", reason: problemOf(listed) }
  const newFiles = measure(shadow.workTree, entriesOf(listed.output))
  if (typeof newFiles === "string") return { kind: "none", reason: newFiles }
  if (newFiles.excluded.length > 0) await writeExcludes(shadow, newFiles.excluded)
  const added = await shadowGit(shadow, ["add", "--all", "--ignore-errors", "."], SNAPSHOT_TIMEOUT_MS)
  if (added.kind === "timeout" || added.kind === "missing") return { kind: "none", reason: problemOf(added) }
  const unreadable = added.kind === "failed" ? [`files that cannot be read (${added.reason})`] : []
  const written = await shadowGit(shadow, ["write-tree"], QUICK_MS)
  if (written.kind !== "done") return { kind: "none", reason: problemOf(written) }
  const uncovered = [...newFiles.uncovered, ...unreadable]
  return { kind: "taken", shadow, tree: lineOf(written.output), uncovered, ...commitOf(await head) }
}

function commitOf(result: GitResult): { readonly head?: string } {
  return result.kind === "done" ? { head: lineOf(result.output) } : {}
}

function lineOf(output: Buffer): string {
  return output.toString().trim()
}

interface UserPlace {
  readonly top: string
  readonly objects: string | undefined
  readonly excludeFile: string | undefined
  readonly format: string
}

/** The top of the git repository, or the folder itself. A string says why no snapshots are taken there. */
async function userPlace(cwd: string): Promise<UserPlace | string> {
  const asked = ["--show-toplevel", "--show-object-format", "--git-path", "objects", "--git-path", "info/exclude"]
  const found = await userGit(cwd, ["rev-parse", ...asked], QUICK_MS)
  if (found.kind === "missing") return "git is not installed"
  if (found.kind === "done") {
    const [top = cwd, format = "sha1", objects = "", excludes = ""] = found.output.toString().trimEnd().split("\n")
    // A repository may name any folder as its work tree (core.worktree): only one around the session's folder counts.
    if (isInside(realpathSync(cwd), realpathSync(top)))
      return { top, format, objects: resolve(cwd, objects), excludeFile: resolve(cwd, excludes) }
  }
  const top = realpathSync(cwd)
  if (top === "/" || top === realHome()) return `${top} is not a git repository and too large for snapshots`
  return { top, format: "sha1", objects: undefined, excludeFile: undefined }
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? folder : `${folder}/`)
}

function realHome(): string {
  try {
    return realpathSync(homedir())
  } catch {
    return homedir() // it does not exist
  }
}

async function createShadow(shadow: Shadow, { top, objects, format }: UserPlace): Promise<string | undefined> {
  const { gitDir } = shadow
  await mkdir(gitDir, { recursive: true, mode: 0o700 })
  const made = await shadowGit(shadow, ["init", "--quiet", `--object-format=${format}`], QUICK_MS)
  if (made.kind !== "done") return problemOf(made)
  await mkdir(join(gitDir, "info"), { recursive: true })
  // In the repository's own file, so that it overrides every .gitattributes: contents are kept byte for byte.
  await writeFile(join(gitDir, "info", "attributes"), "* -text -eol -filter -ident -working-tree-encoding\n")
  await mkdir(join(gitDir, "objects", "info"), { recursive: true })
  if (objects !== undefined) await writeFile(join(gitDir, "objects", "info", "alternates"), `${objects}\n`)
  await writeFile(join(gitDir, "pruned"), "") // a new store has nothing to prune
  await writeFile(join(gitDir, "folder"), `${top}\n`) // last: the repository is complete
  return undefined
}

/** An index of another session of the folder saves reading every file. */
async function copyNewestIndex(gitDir: string, indexFile: string): Promise<void> {
  const names = (await readdir(gitDir)).filter((name) => /^index-[0-9a-f-]+$/.test(name))
  const dated = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(gitDir, name))).mtimeMs })))
  const newest = dated.toSorted((one, other) => other.at - one.at)[0]
  if (newest !== undefined) await copyFile(join(gitDir, newest.name), indexFile)
}

async function writeExcludes(shadow: Shadow, paths: readonly string[]): Promise<void> {
  const { gitDir, workTree, home, excludeFile } = shadow
  const own = excludeFile === undefined ? usualExcludes : [await textOf(excludeFile)]
  const below = relative(workTree, home)
  const homeFolder = below === "" || below.startsWith("..") ? [] : [`${below}/`]
  const lines = [...own, ...[...homeFolder, ...paths].map(patternOf)]
  await writeFile(join(gitDir, "info", "exclude"), `${lines.join("\n")}\n`)
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8")
  } catch {
    return "" // most repositories have none
  }
}

/** Matches exactly this path. */
function patternOf(path: string): string {
  return `/${path.replaceAll(/[\\*?[\]!# ]/g, String.raw`\$&`)}`
}

interface NewFiles {
  readonly excluded: readonly string[]
  readonly uncovered: readonly string[]
}

/** Leaves out nested repositories and large files. A string says why there is no snapshot at all. */
function measure(top: string, paths: readonly string[]): NewFiles | string {
  if (paths.length > MAX_NEW_FILES) return `${top} has more than ${MAX_NEW_FILES} files that are new and not ignored`
  const nested = paths.filter((path) => path.endsWith("/"))
  const sizes = paths.filter((path) => !path.endsWith("/")).map((path) => ({ path, size: sizeOf(join(top, path)) }))
  const large = sizes.filter(({ size }) => size > MAX_FILE_BYTES).map(({ path }) => path)
  const total = sizes.reduce((sum, { size }) => sum + (size > MAX_FILE_BYTES ? 0 : size), 0)
  if (total > MAX_NEW_BYTES) return `${top} has more than 1 GiB of files that are new and not ignored`
  return {
    excluded: [...nested, ...large],
    uncovered: [...named("nested git repositories", nested), ...named("files over 20 MiB", large)],
  }
}

function sizeOf(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function named(what: string, paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return []
  const more = paths.length > MAX_NAMED ? `, and ${paths.length - MAX_NAMED} more` : ""
  return [`${what}: ${paths.slice(0, MAX_NAMED).join(", ")}${more}`]
}

function problemOf(result: Exclude<GitResult, { kind: "done" }>): string {
  if (result.kind === "missing") return "git is not installed"
  if (result.kind === "timeout") return `it took longer than ${SNAPSHOT_TIMEOUT_MS / 1000} s`
  return `git failed: ${result.reason}`
}

export function refFile(gitDir: string, sessionId: string, name: string): string {
  return join(gitDir, "refs", "turnhouse", sessionId, name)
}

/** Keeps the tree until the turn's record is deleted. A loose reference is a file with one line. */
export async function keepTree({ gitDir }: GitPlace, sessionId: string, name: string, tree: string): Promise<void> {
  const file = refFile(gitDir, sessionId, name)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${tree}\n`)
}
