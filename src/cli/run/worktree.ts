// The worktree of `run --worktree`: made before the session, and merged, kept or thrown away after its turn.
import { randomBytes } from "node:crypto"
import { createInterface } from "node:readline/promises"
import { exitCodes, usageFault } from "../../app/app-fault.ts"
import type { AppContext } from "../../app/context.ts"
import { printNotice } from "../../app/terminal.ts"
import { listWorktrees, type SessionWorktree } from "../../app/worktrees/registry.ts"
import {
  createWorktree,
  discardWorktree,
  findWorktree,
  mergeWorktree,
  repositoryOf,
  stateOf,
} from "../../app/worktrees/worktrees.ts"
import { oneLine } from "../../contract/text/text.ts"
import type { Args } from "../command.ts"
import { canAsk } from "../confirm.ts"
import { counted } from "../../display/format.ts"

const endings = ["merge", "discard", "keep"] as const
type Ending = (typeof endings)[number]

/** Checked before anything is started. */
export function checkWorktree(args: Args): void {
  const given = endings.filter((ending) => args.flag(ending))
  const needs = [...given, ...(args.text("branch") === undefined ? [] : ["branch"])]
  if (!args.flag("worktree")) {
    if (needs.length > 0) throw usageFault(`--${needs[0]} needs --worktree`)
    return
  }
  if (given.length > 1) throw usageFault(`--${given[0]} and --${given[1]} cannot be combined`)
  if (args.text("session") !== undefined)
    throw usageFault("--worktree cannot be combined with --session: the session has its folder already")
  if (args.flag("detach") && given.length > 0)
    throw usageFault(
      `--${given[0]} cannot be combined with --detach. Use 'turnhouse worktree' when the turn has ended.`,
    )
}

/** With --continue an existing one: that of --branch, or the newest of this repository. */
export async function openWorktree(args: Args, { home, cwd }: AppContext): Promise<SessionWorktree | undefined> {
  if (!args.flag("worktree")) return undefined
  const name = args.text("branch")
  if (!args.flag("continue")) {
    const worktree = await createWorktree(home, cwd, name ?? randomBytes(4).toString("hex"))
    printNotice(`worktree ${worktree.folder} on branch ${worktree.branch}`)
    return worktree
  }
  if (name !== undefined) return findWorktree(home, name, cwd)
  const repository = await repositoryOf(cwd)
  const newest = (await listWorktrees(home)).findLast((worktree) => worktree.repository === repository)
  if (newest === undefined) throw usageFault("this repository has no worktree to continue. Leave out --continue.")
  return newest
}

/** Returns the exit code of the command. A turn that did not end well is not merged. */
export async function finishWorktree(
  args: Args,
  { home }: AppContext,
  worktree: SessionWorktree,
  turnCode: number,
  prompt: string,
): Promise<number> {
  const state = await stateOf(worktree)
  const chosen = endings.find((ending) => args.flag(ending))
  const hasChanges = state.commits > 0 || state.uncommitted > 0
  if (chosen === undefined && (!hasChanges || !canAsk() || args.flag("json"))) return kept(worktree, turnCode)
  if (chosen === "merge" && turnCode !== exitCodes.done) {
    printNotice("turnhouse: not merged, because the turn did not end well")
    return kept(worktree, turnCode)
  }
  const ending = chosen ?? (await askEnding(worktree, state))
  if (ending === "keep") return kept(worktree, turnCode)
  if (ending === "merge") return (await merge(home, worktree, prompt)) ? turnCode : exitCodes.failed
  await discardWorktree(home, worktree)
  printNotice(`threw away worktree ${worktree.name}`)
  return turnCode
}

/** False if the worktree stays. */
export async function merge(home: string, worktree: SessionWorktree, prompt: string): Promise<boolean> {
  const outcome = await mergeWorktree(home, worktree, oneLine(prompt, 72) || `Changes of worktree ${worktree.name}`)
  if (outcome.kind === "kept") {
    printNotice(`turnhouse: worktree ${worktree.name} was not merged: ${outcome.reason}.`)
    kept(worktree, exitCodes.failed)
    return false
  }
  if (outcome.kind === "unchanged") printNotice(`worktree ${worktree.name} had no changes and was removed`)
  else printNotice(`merged ${counted(outcome.commits, "commit")} of worktree ${worktree.name} into ${outcome.base}`)
  return true
}

function kept({ name, folder, branch }: SessionWorktree, exitCode: number): number {
  printNotice(`worktree ${folder} is kept on branch ${branch}`)
  printNotice(
    `  turnhouse run -c --worktree --branch ${name} | turnhouse worktree merge ${name} | turnhouse worktree discard ${name}`,
  )
  return exitCode
}

async function askEnding({ name, base = "its base" }: SessionWorktree, state: ChangeCount): Promise<Ending> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const closed = new Promise<string>((resolve) => terminal.once("close", () => resolve("")))
  try {
    const what = `${counted(state.commits, "commit")}, ${counted(state.uncommitted, "uncommitted file")}`
    const question = `Worktree ${name} has ${what}. [m]erge into ${base}, [d]iscard, [K]eep? `
    const answer = (await Promise.race([terminal.question(question), closed])).trim().toLowerCase()
    if (answer === "m" || answer === "merge") return "merge"
    return answer === "d" || answer === "discard" ? "discard" : "keep"
  } finally {
    terminal.close()
  }
}

interface ChangeCount {
  readonly commits: number
  readonly uncommitted: number
}
