// `turnhouse rm ID...`: deletes sessions and their sub-agents.
import { AppFault, exitCodes } from "../../../app/app-fault.ts"
import { withLog } from "../../../app/host/open-log.ts"
import { withDescendants } from "../../../app/sessions/session-trees.ts"
import { listSessions, sessionNamed, type HomeLog, type ListedSession } from "../../../app/sessions/sessions.ts"
import { describeHost } from "../../../contract/text/describe-host.ts"
import type { Args } from "../../command.ts"
import { confirmAndRemove } from "../../remove-sessions.ts"

export function run(args: Args): Promise<number> {
  args.first("name a session; 'turnhouse ls --all' lists them")
  return withLog(async (log) => {
    const chosen = await allNamed(log, args.positionals)
    for (const { row } of chosen) refuseOpen(row)
    return confirmAndRemove(log, chosen, { role: "rm", yes: args.flag("yes"), json: args.flag("json") })
  })
}

function refuseOpen({ sessionId, owner }: ListedSession["row"]): void {
  if (owner === undefined) return
  const host = describeHost(owner.role, owner.pid, owner.node?.name)
  throw new AppFault(
    `session ${sessionId} is open in another process (${host}); end it with 'turnhouse stop ${sessionId}'`,
    exitCodes.unreachable,
  )
}

/** All are found before any is deleted, in case a name is misspelt. */
async function allNamed(log: HomeLog, names: readonly string[]): Promise<readonly ListedSession[]> {
  const sessions = await listSessions(log)
  const chosen = new Set<ListedSession>()
  for (const name of names) {
    const { sessionId } = await sessionNamed(log, name)
    for (const session of withDescendants(sessions, sessionId)) chosen.add(session)
  }
  return [...chosen]
}
