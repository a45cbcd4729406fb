// `turnhouse rm ID...`: deletes sessions and their sub-agents.
import { usageFault } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { openLog } from "../../../app/compose.ts"
import { loadContextLeniently } from "../../../app/context.ts"
import { removeSessions } from "../../remove-sessions.ts"
import { withDescendants } from "../../../app/sessions/session-trees.ts"
import { listSessions, openElsewhere, sessionNamed, type ListedSession } from "../../../app/sessions/sessions.ts"
import type { EventLog } from "../../../log/event-log.ts"

export async function run(args: Args): Promise<number> {
  if (args.positionals.length === 0) throw usageFault("name a session; 'turnhouse ls --all' lists them")
  const { home } = await loadContextLeniently()
  const log = openLog(home)
  try {
    const chosen = await allNamed(log, args.positionals)
    for (const { row } of chosen) {
      if (row.owner !== undefined)
        throw openElsewhere(row.sessionId, row.owner, `end it with 'turnhouse stop ${row.sessionId}'`)
    }
    return await removeSessions(log, chosen, { role: "rm", yes: args.flag("yes"), json: args.flag("json") })
  } finally {
    await log.close()
  }
}

/** All are found before any is deleted, in case a name is misspelt. */
async function allNamed(log: EventLog, names: readonly string[]): Promise<readonly ListedSession[]> {
  const sessions = await listSessions(log)
  const chosen = new Set<ListedSession>()
  for (const name of names) {
    const { sessionId } = await sessionNamed(log, name)
    for (const session of withDescendants(sessions, sessionId)) chosen.add(session)
  }
  return [...chosen]
}
