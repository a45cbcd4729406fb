// Compaction: the model summarises the older part of the context, and the summary replaces it there. Log and transcript
// keep everything. A conversation that does not fit one request is summarised in several, each continuing the last.
import type { CompactionId } from "../../contract/ids.ts"
import { faultSentence } from "../../models/fault-sentence.ts"
import type { SessionContext } from "../session-context.ts"
import { sessionModel } from "../model/session-model.ts"
import { windowOf } from "../prompt/context-size.ts"
import { planCompaction } from "./plan-compaction.ts"
import { summarise } from "./summarise.ts"

const NOTHING_COMPACTED = { summary: "", upToSeq: 0, keeps: [], usage: undefined, costUsd: undefined }

export async function compact(session: SessionContext, compactionId: CompactionId, signal: AbortSignal): Promise<void> {
  try {
    const choice = await sessionModel(session, signal)
    const plan = planCompaction(session.context, session.state.turn !== undefined, windowOf(session, choice))
    if (plan === undefined) {
      await session.report({ type: "compacted", compactionId, ...NOTHING_COMPACTED })
      return
    }
    const { upToSeq, keeps } = plan
    const summary = await summarise(session, choice, plan.items, { signal, focus: session.state.compactionFocus })
    if (!signal.aborted) await session.report({ type: "compacted", compactionId, upToSeq, keeps, ...summary })
  } catch (fault) {
    if (signal.aborted) return
    const error = faultSentence(fault, (text) => session.services.scrubber.text(text))
    await session.report({ type: "compaction-failed", compactionId, error })
  }
}
