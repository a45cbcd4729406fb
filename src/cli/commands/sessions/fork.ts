// `turnhouse fork ID [--at SEQ]`: creates a session with the history of another one, which is only read and may be open.
// The fork is stored by one append: completely or not at all. Its events have the time of the fork.
import type { Recorded } from "../../../contract/events.ts"
import type { SessionId } from "../../../contract/ids.ts"
import { newSessionId } from "../../../host/new-ids.ts"
import type { Append, EventLog, SessionRow } from "../../../log/event-log.ts"
import { recordedIn } from "../../../log/recorded.ts"
import { foldStatus, noStatus } from "../../../projection/status.ts"
import { accepted, usageFault, exitCodes } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { openLog } from "../../../app/compose.ts"
import { loadContextLeniently } from "../../../app/context.ts"
import { localUser } from "../../../app/local-user.ts"
import { forkOf } from "../../../app/sessions/fork.ts"
import { withLease } from "../../../app/host/lease.ts"
import { listSessions, sessionNamed } from "../../../app/sessions/sessions.ts"

const pageSize = 500

export async function run(args: Args): Promise<number> {
  const [wanted, ...more] = args.positionals
  if (wanted === undefined || more.length > 0) throw usageFault("name one session; 'turnhouse ls' lists them")
  const { home } = await loadContextLeniently()
  const log = openLog(home)
  try {
    const source = await sessionNamed(log, wanted)
    const append = await forked(log, source, pointOf(args, source))
    accepted(await withLease(log, "fork", (lease) => log.create(lease, append)))
    const { sessionId: id } = append
    process.stdout.write(args.flag("json") ? `${JSON.stringify({ id })}\n` : `${id}\n`)
    return exitCodes.done
  } finally {
    await log.close()
  }
}

function pointOf(args: Args, { seq: newest, sessionId }: SessionRow): number {
  const text = args.text("at")
  if (text === undefined) return newest
  const seq = Number(text)
  if (/^\d+$/.test(text) && seq >= 1 && seq <= newest) return seq
  throw usageFault(`--at: use the number of an event. Session ${sessionId} has events 1 to ${newest}.`)
}

async function forked(log: EventLog, { sessionId: source }: SessionRow, upTo: number): Promise<Append> {
  const now = Date.now()
  const sessionId = newSessionId(now)
  const taken = new Set((await listSessions(log)).flatMap(({ status }) => status.name ?? []))
  const by = { principal: localUser(), door: "fork" }
  const fork = forkOf(await historyOf(log, source, upTo), { sessionId, by, taken })
  if (fork.kind === "busy")
    throw usageFault(
      `session ${source} is in the middle of a turn at event ${upTo}. The nearest earlier point is --at ${fork.nearest}.`,
    )
  const append = { sessionId, expectedSeq: 0, at: now, events: fork.events }
  return { ...append, summary: { ...recordedIn(append).reduce(foldStatus, noStatus) } }
}

async function historyOf(log: EventLog, sessionId: SessionId, upTo: number): Promise<readonly Recorded[]> {
  const history: Recorded[] = []
  while (history.length < upTo) {
    const page = accepted(await log.read(sessionId, history.length, Math.min(pageSize, upTo - history.length)))
    if (page.value.length === 0) break
    history.push(...page.value)
  }
  return history
}
