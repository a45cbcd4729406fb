// `turnhouse hibernate [ID]`: suspends a session and its sub-agents, or all open sessions, until they are resumed.
import type { Args } from "../../command.ts"
import { usageFault, exitCodes } from "../../../app/app-fault.ts"
import { idOf, selectRoots } from "../../../app/sessions/session-trees.ts"
import type { ListedSession } from "../../../app/sessions/sessions.ts"
import { openSession, sendCommand, withHomeConnection } from "../../../app/host/send-command.ts"
import { printNotice } from "../../../app/terminal.ts"
import { writeJson } from "../../output.ts"

export async function run(args: Args): Promise<number> {
  const [idOrName] = args.positionals
  return withHomeConnection("hibernate", async ({ log, port }) => {
    const roots = await selectRoots(log, idOrName, isOpen)
    const ended = roots.find(({ status }) => status.life === "ended")
    if (ended !== undefined) throw usageFault(`session ${idOf(ended)} has ended and cannot be suspended`)
    for (const root of roots.filter(({ status }) => !status.hibernated))
      await sendCommand(await openSession(port, idOf(root), "hibernate"), { type: "hibernate" })
    if (args.flag("json")) writeJson(roots.map((root) => ({ id: idOf(root), hibernated: true })))
    else report(roots)
    return exitCodes.done
  })
}

function isOpen({ row, status }: ListedSession): boolean {
  return row.owner !== undefined && status.life !== "ended" && !status.hibernated
}

function report(roots: readonly ListedSession[]): void {
  if (roots.length === 0) return printNotice("no session is open")
  for (const root of roots) process.stdout.write(`session ${idOf(root)} suspended\n`)
  printNotice("'turnhouse resume' continues them")
}
