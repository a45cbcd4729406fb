// `turnhouse resume [ID]`: resumes a suspended session and its sub-agents, or all suspended sessions, on the background
// host.
import { usageFault, exitCodes } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { idOf, selectRoots } from "../../../app/sessions/session-trees.ts"
import type { ListedSession } from "../../../app/sessions/sessions.ts"
import { openSession, sendCommand, withHomeConnection } from "../../../app/host/send-command.ts"
import { printNotice } from "../../../app/terminal.ts"
import { writeJson } from "../../output.ts"

export async function run(args: Args): Promise<number> {
  const [idOrName] = args.positionals
  return withHomeConnection("resume", async ({ log, port }) => {
    const roots = await selectRoots(log, idOrName, isAsleep)
    const awake = roots.find((root) => !isAsleep(root))
    if (idOrName !== undefined && awake !== undefined)
      throw usageFault(
        `session ${idOf(awake)} is not suspended. 'turnhouse run --session ${idOf(awake)}' resumes an open turn.`,
      )
    for (const root of roots) await sendCommand(await openSession(port, idOf(root), "resume"), { type: "wake" })
    if (args.flag("json")) writeJson(roots.map((root) => ({ id: idOf(root), hibernated: false })))
    else report(roots)
    return exitCodes.done
  })
}

function isAsleep({ status }: ListedSession): boolean {
  return status.hibernated
}

function report(roots: readonly ListedSession[]): void {
  if (roots.length === 0) return printNotice("no session is suspended")
  for (const root of roots) process.stdout.write(`session ${idOf(root)} resumed\n`)
}
