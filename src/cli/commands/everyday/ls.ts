// `turnhouse ls`: lists the sessions of this home without opening any.
import type { SessionRow } from "../../../log/event-log.ts"
import { activityOf, type SessionStatus } from "../../../projection/status.ts"
import type { Args } from "../../command.ts"
import { openLog } from "../../../app/compose.ts"
import { loadContextLeniently } from "../../../app/context.ts"
import { exitCodes } from "../../../app/app-fault.ts"
import { listSessions, titleOf, type ListedSession } from "../../../app/sessions/sessions.ts"
import { table, type Columns, writeJson, ago } from "../../output.ts"
import { oneLine } from "../../../contract/text/text.ts"

const shownColumns: Columns<ListedSession> = {
  ID: ({ row }) => row.sessionId.slice(0, 13),
  STATE: ({ row, status }) => stateOf(row, status),
  "OPEN IN": ({ row }) => hostOf(row),
  ACTIVE: ({ row }) => ago(Date.now() - row.updatedAt),
  MODEL: ({ status }) => oneLine(status.model, 24),
  TITLE: ({ status }) => oneLine(titleOf(status), 60),
}

export async function run(args: Args): Promise<number> {
  const { home } = await loadContextLeniently()
  const log = openLog(home)
  try {
    const sessions = await listSessions(log)
    const shown = args.flag("all") ? sessions : sessions.filter(({ status }) => status.turns > 0)
    if (args.flag("json")) writeJson(shown.map(asJson))
    else process.stdout.write(described(shown))
    return exitCodes.done
  } finally {
    await log.close()
  }
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

function stateOf(row: SessionRow, status: SessionStatus): string {
  const activity = activityIn(row, status)
  return status.escalated === undefined ? activity : `${activity}, escalated`
}

/** An open turn without a host was left by one that died. */
function activityIn({ owner, lapsed }: SessionRow, status: SessionStatus): string {
  if (status.life === "ended") return "ended"
  const activity = activityOf(status)
  if (owner !== undefined || activity === "hibernated") return activity
  if (lapsed !== undefined) return `${activity}, host not responding`
  return activity === "idle" ? "closed" : `${activity}, left open`
}

function hostOf({ owner, lapsed }: SessionRow): string {
  const host = owner ?? lapsed
  return host === undefined ? "-" : oneLine(`${host.role} ${host.pid}`, 24)
}
