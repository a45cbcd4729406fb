// `turnhouse ls`: lists the sessions of this home without opening any.
import { activityOf } from "../../../projection/status.ts"
import type { Args } from "../../command.ts"
import { withLog } from "../../../app/host/open-log.ts"
import { listSessions, titleOf, type ListedSession } from "../../../app/sessions/sessions.ts"
import { printResult, table, type Columns, ago } from "../../output.ts"
import { oneLine } from "../../../contract/text/text.ts"

const shownColumns: Columns<ListedSession> = {
  ID: ({ row }) => row.sessionId.slice(0, 13),
  STATE: stateOf,
  "OPEN IN": hostOf,
  ACTIVE: ({ row }) => ago(Date.now() - row.updatedAt),
  MODEL: ({ status }) => oneLine(status.model, 24),
  TITLE: ({ status }) => oneLine(titleOf(status), 60),
}

export function run(args: Args): Promise<number> {
  return withLog(async (log) => {
    const sessions = await listSessions(log)
    const shown = args.flag("all") ? sessions : sessions.filter(({ status }) => status.turns > 0)
    return printResult(args, shown.map(asJson), () => described(shown))
  })
}

function asJson({ row, status }: ListedSession) {
  const { sessionId, createdAt, updatedAt, seq, owner, lapsed } = row
  const host = owner ?? lapsed
  return { id: sessionId, createdAt, updatedAt, seq, host, activity: activityOf(status), ...status }
}

function described(sessions: readonly ListedSession[]): string {
  if (sessions.length === 0) return "No sessions yet. 'turnhouse run \"look around\"' starts one.\n"
  return table(sessions, shownColumns)
}

function stateOf(session: ListedSession): string {
  const activity = activityIn(session)
  return session.status.escalated === undefined ? activity : `${activity}, escalated`
}

/** An open turn without a host was left by one that died. */
function activityIn({ row: { owner, lapsed }, status }: ListedSession): string {
  if (status.life === "ended") return "ended"
  const activity = activityOf(status)
  if (owner !== undefined || activity === "hibernated") return activity
  if (lapsed !== undefined) return `${activity}, host not responding`
  return activity === "idle" ? "closed" : `${activity}, left open`
}

function hostOf({ row: { owner, lapsed } }: ListedSession): string {
  const host = owner ?? lapsed
  return host === undefined ? "-" : oneLine(`${host.role} ${host.pid}`, 24)
}
