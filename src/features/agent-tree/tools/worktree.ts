// A git worktree for one agent: a folder beside the repository, on a branch that starts at the session's commit. Git runs
// like every other command of the session, in the sandbox and without the repository's hooks. Invariant: no work of the
// agent is lost. Uncommitted changes are committed to its branch before the folder is removed; otherwise the folder stays.
import { join } from "node:path"
import { startCommand, type CommandDeps } from "../../../tools/start-command.ts"
import type { AgentWorktree, ToolContext } from "../../../tools/tool.ts"
import { endedWell, watchRun } from "../../../tools/watch-run.ts"
import { BoundedOutput } from "../../../tools/output-bound.ts"

export type WorktreeOutcome =
  | { readonly kind: "made"; readonly cwd: string; readonly worktree: AgentWorktree }
  | { readonly kind: "no"; readonly reason: string }

const PATHS_SCRIPT = `
set -e
top=$(git rev-parse --show-toplevel)
folder=$top.worktrees/$1
branch=turnhouse/$1
quiet="git -c core.hooksPath=/dev/null"
`

/** Idempotent: after a crash it finds the same worktree. */
const MAKE_SCRIPT = `${PATHS_SCRIPT}
base=$(git rev-parse --verify --quiet HEAD) || { echo "this repository has no commit yet" >&2; exit 1; }
if [ ! -e "$folder/.git" ]; then
  if git show-ref --quiet --verify "refs/heads/$branch"; then $quiet worktree add -q "$folder" "$branch"
  else $quiet worktree add -q -b "$branch" "$folder" "$base"; fi
fi
printf '%s\\n' "$folder" "$branch" "$base" "$(git rev-parse --show-prefix)"
`

const LEAVE_SCRIPT = `${PATHS_SCRIPT}
[ -e "$folder/.git" ] || exit 0
stays() { echo "Its work is in $folder: $1."; exit 0; }
[ -z "$(git -C "$folder" ls-files --unmerged)" ] || stays "a merge is not finished there"
if [ -n "$(git -C "$folder" status --porcelain)" ]; then
  git -C "$folder" add --all
  $quiet -C "$folder" commit -q -m "What agent $1 left uncommitted" || stays "it could not be committed"
fi
tip=$(git -C "$folder" rev-parse HEAD)
[ -n "$(git branch --contains "$tip" --format='%(refname)' | grep '^refs/heads/')" ] || git branch "$branch-detached" "$tip"
git worktree remove "$folder" || stays "the folder could not be removed"
rmdir "$top.worktrees" 2>/dev/null || true
for left in $(git for-each-ref --format='%(refname:short)' "refs/heads/$branch" "refs/heads/$branch-detached"); do
  count=$(git rev-list --count "HEAD..$left")
  if [ "$count" = 0 ]; then git branch -q -D "$left"
  else echo "Its work is on the branch $left (commits: $count;$(git diff --shortstat "HEAD...$left")). To take it over: git merge $left"; fi
done
`

export async function makeWorktree(deps: CommandDeps, agentId: string, context: ToolContext): Promise<WorktreeOutcome> {
  const { isDone, output } = await runScript(deps, MAKE_SCRIPT, agentId, context)
  const [folder, branch, base, prefix = ""] = output.split("\n")
  if (!isDone || folder === undefined || branch === undefined || base === undefined)
    return { kind: "no", reason: `No worktree could be made: ${output.trim()}` }
  return { kind: "made", cwd: join(folder, prefix), worktree: { folder, branch, base } }
}

/** Where the work of an ended agent is now; empty if it had no worktree or changed nothing. */
export async function leaveWorktree(deps: CommandDeps, agentId: string, context: ToolContext): Promise<string> {
  const { isDone, output } = await runScript(deps, LEAVE_SCRIPT, agentId, context)
  return isDone ? output.trim() : `Its worktree was left as it is: ${output.trim()}`
}

/** Long enough for a large checkout. */
const TIMEOUT_MS = 120_000

async function runScript(deps: CommandDeps, script: string, agentId: string, context: ToolContext) {
  const args = ["-c", `exec 2>&1\n${script}`, "worktree", shortName(agentId)]
  const started = await startCommand(deps, { command: "/bin/sh", args, env: context.env }, context)
  if (started.kind === "no") return { isDone: false, output: started.reason }
  const output = new BoundedOutput()
  started.gated.stdout.on("data", (chunk: Uint8Array) => output.push(chunk))
  started.gated.go()
  const end = await watchRun(started.gated, TIMEOUT_MS, context.signal)
  return { isDone: endedWell(end), output: output.text(context.scrubber) }
}

/** The end of the id: siblings have the same beginning. */
function shortName(agentId: string): string {
  return agentId.slice(-12)
}
