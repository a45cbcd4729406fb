// Which locks a git command needs: commands that change the index, move refs, rewrite files or write to another repository.
// Reading needs none. Aliases are not resolved. Pure.
import { resolve } from "node:path"
import type { LockType } from "../../../../contract/values.ts"

export interface GitNeed {
  /** A folder of the working tree, or the repository itself. */
  readonly folder: string
  readonly kinds: readonly LockType[]
}

export function gitNeed(args: readonly string[], folder: string): GitNeed {
  const { at, rest } = withoutGlobals(args, folder)
  const [command = "", ...commandArgs] = rest
  const rule = Object.hasOwn(rules, command) ? rules[command] : undefined
  return { folder: at, kinds: typeof rule === "function" ? rule(commandArgs) : (rule ?? []) }
}

type Rule = readonly LockType[] | ((args: readonly string[]) => readonly LockType[])

const index: readonly LockType[] = ["git_index"]
const commit: readonly LockType[] = ["git_index", "git_commit"]
const discard: readonly LockType[] = ["git_index", "git_destructive"]
const merge: readonly LockType[] = ["git_index", "git_commit", "git_remote_merge"]
const pull: readonly LockType[] = ["git_index", "git_remote_merge"]
const branch: readonly LockType[] = ["git_branch"]
const ref: readonly LockType[] = ["git_commit"]
const NO_LOCKS: readonly LockType[] = []

const rules: Readonly<Record<string, Rule>> = {
  add: index,
  stage: index,
  rm: index,
  mv: index,
  "update-index": index,
  "read-tree": index,
  apply: (args) => (has(args, "--check", "--stat", "--numstat", "--summary") ? NO_LOCKS : index),
  commit: (args) => (has(args, "--dry-run") ? NO_LOCKS : commit),
  merge,
  rebase: merge,
  "cherry-pick": merge,
  revert: merge,
  am: merge,
  pull,
  push: (args) => (has(args, "--dry-run", "-n") ? NO_LOCKS : ["git_remote_write"]),
  branch: (args) => (changesBranches(args) ? branch : NO_LOCKS),
  switch: branch,
  checkout: (args) => (discardsFiles(args) ? discard : branch),
  restore: (args) => (has(args, "--staged", "-S") && !has(args, "--worktree", "-W") ? index : discard),
  reset: (args) => (has(args, "--hard", "--merge", "--keep") ? discard : commit),
  clean: (args) => (has(args, "-n", "--dry-run") ? NO_LOCKS : discard),
  stash: ([subcommand]) => (subcommand === "list" || subcommand === "show" ? NO_LOCKS : discard),
  tag: (args) => (changesTags(args) ? ref : NO_LOCKS),
  "update-ref": ref,
  "symbolic-ref": ref,
  notes: ([subcommand]) =>
    subcommand === undefined || subcommand === "list" || subcommand === "show" ? NO_LOCKS : ref,
  worktree: ([subcommand]) => (subcommand === undefined || subcommand === "list" ? NO_LOCKS : branch),
  bisect: ([subcommand]) =>
    subcommand === "log" || subcommand === "visualize" || subcommand === "view" ? NO_LOCKS : branch,
  submodule: ([subcommand]) =>
    subcommand === "update" || subcommand === "add" || subcommand === "deinit" ? pull : NO_LOCKS,
  subtree: ([subcommand]) => (subcommand === "push" ? ["git_remote_write"] : subcommand === "split" ? ref : merge),
  "sparse-checkout": ([subcommand]) => (subcommand === "list" ? NO_LOCKS : discard),
  remote: ([subcommand]) => (["rename", "remove", "rm", "prune"].includes(subcommand ?? "") ? ref : NO_LOCKS),
  replace: (args) => (args.length === 0 || has(args, "-l", "--list") ? NO_LOCKS : ref),
  "fast-import": ref,
  "filter-branch": merge,
  "filter-repo": merge,
}

function has(args: readonly string[], ...options: readonly string[]): boolean {
  return args.some((arg) => options.includes(arg.split("=")[0] ?? ""))
}

const listsBranches = ["--list", "-l", "-a", "--all", "-r", "--remotes", "-v", "-vv", "--show-current", "--contains"]
const listsTags = ["--list", "-l", "-n", "--contains", "--points-at", "--merged", "--no-merged", "-v", "--verify"]

function changesBranches(args: readonly string[]): boolean {
  return args.length > 0 && !has(args, ...listsBranches, "--merged", "--no-merged", "--points-at", "--sort", "--format")
}

function changesTags(args: readonly string[]): boolean {
  return args.length > 0 && !has(args, ...listsTags, "--sort", "--format")
}

/** `git checkout NAME` counts as a branch; only git itself can distinguish it from a file of that name. */
function discardsFiles(args: readonly string[]): boolean {
  if (has(args, "-b", "-B", "--orphan", "--detach", "-d", "-t", "--track")) return false
  const plain = args.filter((arg) => !arg.startsWith("-"))
  return args.includes("--") || has(args, "-p", "--patch", "--ours", "--theirs") || plain.length > 1 || plain[0] === "."
}

const valuedGlobals = new Set(["-c", "--namespace", "--config-env", "--super-prefix", "--list-cmds", "--attr-source"])

function withoutGlobals(args: readonly string[], folder: string): { at: string; rest: readonly string[] } {
  let at = folder
  for (let next = 0; next < args.length; next++) {
    const arg = args[next] ?? ""
    if (!arg.startsWith("-")) return { at, rest: args.slice(next) }
    const place = /^--(?:git-dir|work-tree)(?:=(.*))?$/.exec(arg)
    if (arg === "-C" || place !== null) at = resolve(at, place?.[1] ?? args[(next += 1)] ?? ".")
    else if (valuedGlobals.has(arg)) next += 1
  }
  return { at, rest: [] }
}
