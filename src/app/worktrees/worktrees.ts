// Worktrees of sessions: made on a branch of their own, merged, thrown away. Invariants: nothing that is not committed is
// lost without a question, and a merge that cannot be made cleanly changes nothing in the user's work tree.
import { existsSync } from "node:fs"
import { rmdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { systemCode } from "../../contract/faults.ts"
import { AppFault, usageFault } from "../app-fault.ts"
import { git } from "./git.ts"
import { forgetWorktree, listWorktrees, writeWorktree, type SessionWorktree } from "./registry.ts"

const validName = /^[A-Za-z0-9](?!.*\.\.)[A-Za-z0-9._-]{0,62}[A-Za-z0-9]$|^[A-Za-z0-9]$/

export async function createWorktree(home: string, cwd: string, name: string): Promise<SessionWorktree> {
  if (!validName.test(name) || name.endsWith(".lock"))
    throw usageFault(`'${name}' cannot name a worktree. Use up to 64 letters, digits, '.', '_' and '-'.`)
  const place = await git(cwd, "rev-parse", "--show-toplevel", "--show-prefix")
  if (place.code === 127) throw usageFault("--worktree needs git, which is not installed.")
  const [repository = "", prefix = ""] = place.output.split("\n")
  if (place.code !== 0 || repository === "")
    throw usageFault(`--worktree: ${cwd} is not in a git work tree. Use 'git init' and commit, or leave it out.`)
  const head = await git(cwd, "rev-parse", "--verify", "--quiet", "HEAD")
  if (head.code !== 0) throw usageFault("--worktree: this repository has no commit yet. Commit first.")
  const [branch, folder] = [`turnhouse/${name}`, join(`${repository}.worktrees`, name)]
  const taken =
    existsSync(folder) || (await git(cwd, "show-ref", "--quiet", "--verify", `refs/heads/${branch}`)).code === 0
  if (taken)
    throw usageFault(`a worktree or branch '${name}' exists. Continue it with --continue, or use another name.`)
  const onBranch = await git(cwd, "symbolic-ref", "--quiet", "--short", "HEAD")
  const base = onBranch.code === 0 ? onBranch.output : undefined
  const worktree = { name, repository, folder, branch, base, commit: head.output, prefix, createdAt: Date.now() }
  await writeWorktree(home, worktree)
  const made = await git(repository, "worktree", "add", "--quiet", "-b", branch, folder, head.output)
  if (made.code !== 0) {
    await forgetWorktree(home, worktree)
    throw new AppFault(`the worktree ${folder} cannot be made: ${made.reason}`)
  }
  return worktree
}

/** Of a session in the worktree. */
export function folderIn({ folder, prefix }: SessionWorktree): string {
  return prefix === "" ? folder : join(folder, prefix)
}

export async function repositoryOf(cwd: string): Promise<string | undefined> {
  const top = await git(cwd, "rev-parse", "--show-toplevel")
  return top.code === 0 ? top.output : undefined
}

/** By name; of several with that name the one of the repository of `cwd`. */
export async function findWorktree(home: string, name: string, cwd: string): Promise<SessionWorktree> {
  const found = (await listWorktrees(home)).filter((worktree) => worktree.name === name)
  const repository = found.length > 1 ? await repositoryOf(cwd) : undefined
  const chosen = found.length > 1 ? found.find((worktree) => worktree.repository === repository) : found[0]
  if (chosen !== undefined) return chosen
  if (found.length > 1)
    throw usageFault(`several repositories have a worktree '${name}'. Run the command in one of them.`)
  throw usageFault(`no worktree has the name '${name}'. 'turnhouse worktree' lists them.`)
}

export interface WorktreeState {
  /** False: another program removed the folder. */
  readonly exists: boolean
  readonly commits: number
  /** Files with changes that are not committed. */
  readonly uncommitted: number
}

export async function stateOf({ folder, repository, branch, commit }: SessionWorktree): Promise<WorktreeState> {
  const exists = existsSync(join(folder, ".git"))
  const changed = exists ? await git(folder, "status", "--porcelain") : undefined
  const commits = await git(repository, "rev-list", "--count", `${commit}..refs/heads/${branch}`)
  return {
    exists,
    commits: commits.code === 0 ? Number(commits.output) : 0,
    uncommitted: changed === undefined ? 0 : changed.output.split("\n").filter((line) => line !== "").length,
  }
}

export type MergeOutcome =
  | { readonly kind: "merged"; readonly base: string; readonly commits: number }
  /** Nothing to merge; the worktree is removed. */
  | { readonly kind: "unchanged" }
  /** The worktree stays. */
  | { readonly kind: "kept"; readonly reason: string }

/** Commits what is not committed, merges the branch into the one that it came from, and removes the worktree. */
export async function mergeWorktree(home: string, worktree: SessionWorktree, message: string): Promise<MergeOutcome> {
  const uncommitted = await commitAll(worktree, message)
  if (uncommitted !== undefined) return { kind: "kept", reason: uncommitted }
  const { commits } = await stateOf(worktree)
  if (commits === 0) {
    await removeWorktree(home, worktree)
    return { kind: "unchanged" }
  }
  const { base } = worktree
  const reason = base === undefined ? "it started from a commit, not from a branch" : await mergeInto(worktree, base)
  if (base === undefined || reason !== undefined) return { kind: "kept", reason: reason ?? "" }
  await removeWorktree(home, worktree)
  return { kind: "merged", base, commits }
}

/** Why not; undefined if nothing is uncommitted any more. */
async function commitAll({ folder }: SessionWorktree, message: string): Promise<string | undefined> {
  if (!existsSync(join(folder, ".git"))) return undefined
  const unmerged = await git(folder, "ls-files", "--unmerged")
  if (unmerged.output !== "") return `a merge in ${folder} is not finished`
  if ((await git(folder, "status", "--porcelain")).output === "") return undefined
  const added = await git(folder, "add", "--all")
  const done = added.code === 0 ? await git(folder, "commit", "--quiet", "--message", message) : added
  return done.code === 0 ? undefined : `its changes cannot be committed: ${done.reason}`
}

async function mergeInto({ repository, branch, name }: SessionWorktree, base: string): Promise<string | undefined> {
  const current = await git(repository, "symbolic-ref", "--quiet", "--short", "HEAD")
  if (current.output !== base) return `${base} is not checked out in ${repository}. Check it out and try again`
  if ((await git(repository, "rev-parse", "--quiet", "--verify", "MERGE_HEAD")).code === 0)
    return `a merge in ${repository} is not finished. Finish it and try again` // ours would be given up together with it
  const trial = await git(repository, "merge-tree", "--write-tree", "--name-only", "--no-messages", base, branch)
  if (trial.code === 1) {
    const files = trial.output
      .split("\n")
      .slice(1)
      .filter((line) => line !== "")
    return `it conflicts with ${base} in ${files.join(", ")}. Merge ${base} in the worktree and try again`
  }
  if (trial.code !== 0 && (await git(repository, "status", "--porcelain")).output !== "")
    return `${repository} has uncommitted changes, and this git cannot try the merge without touching them`
  const merged = await git(repository, "merge", "--quiet", "--no-edit", "-m", `Merge worktree ${name}`, branch)
  if (merged.code === 0) return undefined
  await git(repository, "merge", "--abort") // fails where no merge was begun, which is as good
  return `git refused the merge, and nothing was changed: ${merged.reason}`
}

export async function discardWorktree(home: string, worktree: SessionWorktree): Promise<void> {
  await removeWorktree(home, worktree, "--force")
}

async function removeWorktree(home: string, worktree: SessionWorktree, ...force: readonly string[]): Promise<void> {
  const { repository, folder, branch } = worktree
  if (existsSync(folder)) {
    const removed = await git(repository, "worktree", "remove", ...force, folder)
    if (removed.code !== 0) throw new AppFault(`the worktree ${folder} cannot be removed: ${removed.reason}`)
  } else await git(repository, "worktree", "prune")
  if ((await git(repository, "show-ref", "--quiet", "--verify", `refs/heads/${branch}`)).code === 0) {
    const deleted = await git(repository, "branch", "--quiet", "-D", branch)
    if (deleted.code !== 0) throw new AppFault(`the branch ${branch} cannot be deleted: ${deleted.reason}`)
  }
  await forgetWorktree(home, worktree)
  await removeIfEmpty(dirname(folder))
}

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder)
  } catch (fault) {
    if (systemCode(fault) === undefined) throw fault // others are still in it
  }
}
