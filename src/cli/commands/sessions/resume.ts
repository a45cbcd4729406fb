// `turnhouse resume [ID]`: wakes a session that was put to rest, with all that descend from it, or all that sleep. What
// was under way goes on, on the background host.
import { usageFault } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { exitCodes } from "../../../app/exit-codes.ts"
import { idOf, rootsMeant } from "../../../app/sessions/hibernation.ts"
import type { ListedSession } from "../../../app/sessions/sessions.ts"
import { openSession, sendCommand, withHomeConnection } from "../../../app/host/send-command.ts"
import { printNotice } from "../../../app/terminal.ts"
import { writeJson } from "../../write-json.ts"

export async function run(args: Args): Promise<number> {
  const [wanted] = args.positionals
  return withHomeConnection("resume", async ({ log, port }) => {
    const roots = await rootsMeant(log, wanted, isAsleep)
    const awake = roots.find((root) => !isAsleep(root))
    if (wanted !== undefined && awake !== undefined)
      throw usageFault(`session ${idOf(awake)} does not sleep; 'turnhouse run --session' resumes an open turn`)
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
  if (roots.length === 0) return printNotice("no session sleeps")
  for (const root of roots) process.stdout.write(`session ${idOf(root)} is awake\n`)
}
