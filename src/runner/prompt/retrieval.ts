// What documents say about the words of a turn, looked up before its model is first asked. It becomes a fact of the
// session, so that what the model knew can be seen afterwards and is not looked up twice. A search that fails costs
// the turn its documents, never the turn.
import { settingsOf } from "../../contract/session-settings.ts"
import type { Passage } from "../../contract/values.ts"
import type { Rights } from "../../knowledge/rights.ts"
import { contextItems } from "../../projection/context.ts"
import type { SessionState, StepState } from "../../session/state.ts"
import { quotable } from "../../tools/knowledge-search.ts"
import type { SessionContext } from "../session-context.ts"
import type { UserItem } from "../../contract/views/context.ts"

/** Characters of the question that are kept beside what was found. */
const keptQuery = 500

export async function retrieve(session: SessionContext, signal: AbortSignal): Promise<void> {
  const { services, state } = session
  const { knowledge } = services
  const step = firstStep(state)
  const prompt = newestWords(session)
  if (knowledge === undefined || knowledge.autoRetrieve === 0 || !knowledge.source.exists) return
  if (step === undefined || prompt === undefined) return
  const found = await passagesFor(session, prompt.text, signal)
  const passages = quotable(found, services.scrubber)
  if (signal.aborted || passages.length === 0) return
  const query = prompt.text.slice(0, keptQuery).toWellFormed()
  await session.report({ type: "retrieved", stepId: step.id, query, passages })
}

/** A visitor finds what the groups of the visit that began the turn may find; people of the house, whatever is theirs. */
export function rightsOf({ created, turn, visitGroups }: SessionState): Rights | undefined {
  if (created === undefined) return undefined
  const { org } = created
  if (!settingsOf(created).hasVisitors) return { org, groups: "all" }
  const visit = visitGroups.find(({ visitId }) => visitId === turn?.visitId)
  return { org, groups: visit?.groups ?? [] }
}

async function passagesFor(session: SessionContext, text: string, signal: AbortSignal): Promise<readonly Passage[]> {
  const { knowledge, warn } = session.services
  const rights = rightsOf(session.state)
  if (knowledge === undefined || rights === undefined) return []
  try {
    return await knowledge.source.search({ text, limit: knowledge.autoRetrieve, rights, sets: [] }, signal)
  } catch (fault) {
    if (!signal.aborted) warn(`the documents could not be searched: ${String(fault)}`, session.id)
    return []
  }
}

/** Words that slip into a running turn, and answers that are continued, bring no documents. */
function firstStep({ turn }: SessionState): StepState | undefined {
  const isFirst = turn?.steps === 1 && turn.step?.continues === undefined
  return isFirst ? turn.step : undefined
}

/** Nothing where the documents are there already: the host that had the turn before has looked them up. */
function newestWords({ context }: SessionContext): UserItem | undefined {
  const newest = contextItems(context).findLast((item) => item.kind === "user")
  return newest === undefined || newest.passages !== undefined || newest.text.trim() === "" ? undefined : newest
}
