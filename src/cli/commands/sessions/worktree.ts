// `turnhouse worktree [ls | merge NAME | discard NAME]`: the worktrees that `run --worktree` made.
import { exitCodes, usageFault } from "../../../app/app-fault.ts"
import { loadContextLeniently, type AppContext } from "../../../app/context.ts"
import { printNotice } from "../../../app/terminal.ts"
import { listWorktrees, type SessionWorktree } from "../../../app/worktrees/registry.ts"
import { discardWorktree, findWorktree, stateOf, type WorktreeState } from "../../../app/worktrees/worktrees.ts"
import type { Args } from "../../command.ts"
import { confirmed } from "../../confirm.ts"
import { printResult, table, type Columns } from "../../output.ts"
import { ago, counted } from "../../../display/format.ts"
import { merge } from "../../run/worktree.ts"

export async function run(args: Args): Promise<number> {
  const [action = "ls", name] = args.positionals
  if (action !== "ls" && action !== "merge" && action !== "discard")
    throw usageFault(`'${action}' is not an action. Use ls, merge NAME or discard NAME.`)
  const context = await loadContextLeniently()
  if (action === "ls") return list(args, context)
  if (name === undefined) throw usageFault("name a worktree; 'turnhouse worktree' lists them")
  const worktree = await findWorktree(context.home, name, context.cwd)
  if (action === "merge") return (await merge(context.home, worktree, "")) ? exitCodes.done : exitCodes.failed
  return discard(args, context, worktree)
}

interface ListedWorktree extends SessionWorktree {
  readonly state: WorktreeState
}

const shownColumns: Columns<ListedWorktree> = {
  NAME: ({ name }) => name,
  CREATED: ({ createdAt }) => ago(Date.now() - createdAt),
  BASE: ({ base, commit }) => base ?? commit.slice(0, 12),
  CHANGES: ({ state }) => changesOf(state),
  FOLDER: ({ folder }) => folder,
}

async function list(args: Args, { home }: AppContext): Promise<number> {
  const worktrees: ListedWorktree[] = []
  for (const worktree of await listWorktrees(home)) worktrees.push({ ...worktree, state: await stateOf(worktree) })
  const none = "No worktrees. 'turnhouse run --worktree PROMPT' makes one.\n"
  return printResult(args, worktrees, () => (worktrees.length === 0 ? none : table(worktrees, shownColumns)))
}

function changesOf({ exists, commits, uncommitted }: WorktreeState): string {
  if (!exists) return `folder is gone, ${counted(commits, "commit")}`
  if (commits + uncommitted === 0) return "none"
  return uncommitted === 0 ? counted(commits, "commit") : `${counted(commits, "commit")}, ${uncommitted} uncommitted`
}

async function discard(args: Args, { home }: AppContext, worktree: SessionWorktree): Promise<number> {
  const state = await stateOf(worktree)
  const hasChanges = state.commits + state.uncommitted > 0
  const question = `Throw away worktree ${worktree.name} with ${changesOf(state)}?`
  if (hasChanges && !(await confirmed(args.flag("yes"), question))) {
    printNotice("nothing was changed")
    return exitCodes.refused
  }
  await discardWorktree(home, worktree)
  process.stdout.write(`threw away worktree ${worktree.name}\n`)
  return exitCodes.done
}
