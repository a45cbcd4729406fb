// The worktrees of sessions: one file each in the home, written before the worktree is made and deleted after it is
// removed, so that none is forgotten after a crash.
import { hash } from "node:crypto"
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { systemCode } from "../../contract/faults.ts"
import { memberIn, textIn, tryParseJson } from "../../contract/json-object.ts"

export interface SessionWorktree {
  readonly name: string
  /** The top of the work tree that it comes from. */
  readonly repository: string
  readonly folder: string
  readonly branch: string
  /** The branch that it started from; absent where a commit was checked out. */
  readonly base: string | undefined
  /** The commit that it started from. */
  readonly commit: string
  /** The folder of the command in the repository, as git gives it: empty or with a slash at its end. */
  readonly prefix: string
  readonly createdAt: number
}

export async function writeWorktree(home: string, worktree: SessionWorktree): Promise<void> {
  const file = fileOf(home, worktree)
  await mkdir(join(home, "worktrees"), { recursive: true, mode: 0o700 })
  await writeFile(`${file}.tmp`, JSON.stringify(worktree))
  await rename(`${file}.tmp`, file)
}

export async function forgetWorktree(home: string, worktree: SessionWorktree): Promise<void> {
  await rm(fileOf(home, worktree), { force: true })
}

/** Oldest first. */
export async function listWorktrees(home: string): Promise<readonly SessionWorktree[]> {
  const names = (await namesIn(join(home, "worktrees"))).filter((name) => name.endsWith(".json"))
  const read = await Promise.all(names.map((name) => readFile(join(home, "worktrees", name), "utf8")))
  return read.flatMap((text) => worktreeOf(text) ?? []).toSorted((one, other) => one.createdAt - other.createdAt)
}

function fileOf(home: string, { repository, name }: SessionWorktree): string {
  return join(home, "worktrees", `${hash("sha256", repository).slice(0, 12)}-${name}.json`)
}

function worktreeOf(text: string): SessionWorktree | undefined {
  const value = tryParseJson(text)
  const [name, repository, folder] = [textIn(value, "name"), textIn(value, "repository"), textIn(value, "folder")]
  const [branch, commit, createdAt] = [textIn(value, "branch"), textIn(value, "commit"), memberIn(value, "createdAt")]
  if (name === undefined || repository === undefined || folder === undefined) return undefined
  if (branch === undefined || commit === undefined || typeof createdAt !== "number") return undefined
  const [base, prefix = ""] = [textIn(value, "base"), textIn(value, "prefix")]
  return { name, repository, folder, branch, base, commit, prefix, createdAt }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (fault) {
    if (systemCode(fault) === "ENOENT") return []
    throw fault
  }
}
