// `turnhouse prune --older D`: deletes sessions that have been idle for that long. Open sessions stay, and so does a tree
// with any younger session.
import { exitCodes, usageFault } from "../../../app/app-fault.ts"
import { withLog } from "../../../app/host/open-log.ts"
import { treesBefore } from "../../../app/sessions/session-trees.ts"
import { listSessions, type ListedSession } from "../../../app/sessions/sessions.ts"
import type { Args } from "../../command.ts"
import { writeJson } from "../../output.ts"
import { counted } from "../../../display/format.ts"
import { confirmAndRemove, describeSessions } from "../../remove-sessions.ts"

export async function run(args: Args): Promise<number> {
  const age = ageOf(args)
  const json = args.flag("json")
  return withLog(async (log) => {
    const old = treesBefore(await listSessions(log), Date.now() - age * 1000)
    if (args.flag("dry-run")) return preview(old, json)
    if (old.length === 0) return nothing(args.text("older"), json)
    return confirmAndRemove(log, old, { role: "prune", yes: args.flag("yes"), json })
  })
}

/** Seconds. A unit is required: a plain number could be meant as days. */
function ageOf(args: Args): number {
  const age = args.seconds("older")
  if (age === undefined)
    throw usageFault("--older is missing. Use --older 90d to delete sessions that have been idle for 90 days.")
  if (!/[smhd]$/.test(args.text("older") ?? "")) throw usageFault("--older needs a unit: 90d, 12h, 30m")
  return age
}

function preview(old: readonly ListedSession[], json: boolean): number {
  const total = `${counted(old.length, "session")} would be deleted`
  if (json) writeJson({ wouldDelete: old.map(({ row }) => row.sessionId) })
  else process.stdout.write(old.length === 0 ? `${total}\n` : `${describeSessions(old)}\n${total}\n`)
  return exitCodes.done
}

function nothing(age: string | undefined, json: boolean): number {
  if (json) writeJson({ deleted: [] })
  else process.stdout.write(`no session has been idle for ${age}\n`)
  return exitCodes.done
}
