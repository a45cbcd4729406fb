// The end of a conversation: its history, those of its agents, the answers, and the effects of all tools so far.
import { decodeEvent } from "../../../contract/stored-event.ts"
import type { SessionId } from "../../../contract/ids.ts"
import type { EventLog } from "../../../log/event-log.ts"
import { accepted } from "../../app-fault.ts"
import type { Report } from "../violation.ts"
import { checkAnswers } from "./check-answers.ts"
import { checkHistory, eventsOf, type History } from "./check-history.ts"
import { checkEffects, checkOrigins, checkRepeats, readEffects } from "./effects.ts"
import type { LaneHome, LaneKind } from "./lane-kind.ts"
import { checkServed } from "./programs.ts"
import type { SessionRecord } from "./session-record.ts"

const MAX_EVENTS = 100_000

interface Conversation {
  readonly home: LaneHome
  readonly kind: LaneKind
  readonly report: Report
  /** Histories of the home that were checked before; those of this conversation are added. */
  readonly earlier: History[]
}

/** When all conversations of a home are over. */
export function checkHome({ home, report, earlier }: Omit<Conversation, "kind">): void {
  checkOrigins(earlier, readEffects(home.workspace), report)
}

/** Returns the number of calls whose outcome is unknown. */
export async function checkConversation(
  record: SessionRecord,
  { home, kind, report, earlier }: Conversation,
): Promise<number> {
  const histories = [record.stored, ...(await agentsOf(home.log, record.stored))]
  const effects = readEffects(home.workspace)
  earlier.push(...histories)
  for (const history of histories) {
    checkHistory(history, report)
    checkRepeats(history, effects, report)
  }
  checkEffects(earlier, effects, report)
  checkServed(earlier, home.workspace, report)
  checkAnswers(record.stored, kind, report)
  for (const { seq, what } of accepted(await home.log.inspect(record.sessionId)).value)
    report("broken", record.newestEvent, `event ${seq}: ${what}`)
  return histories.flatMap((history) => eventsOf(history, "tool.unsettled")).length
}

async function agentsOf(log: EventLog, history: History): Promise<readonly History[]> {
  return Promise.all(eventsOf(history, "child.spawned").map(({ childId }) => historyOf(log, childId)))
}

async function historyOf(log: EventLog, sessionId: SessionId): Promise<History> {
  const lines = accepted(await log.readLines(sessionId, 0, MAX_EVENTS)).value
  return lines.flatMap(({ text }) => {
    const decoded = decodeEvent(text)
    return decoded.kind === "event" ? [decoded.recorded] : []
  })
}
