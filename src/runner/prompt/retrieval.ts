// Searches the documents for the prompt of a turn before its first model call. The passages are stored, so that a later
// host does not search again. If the search fails, the turn continues without them.
import { settingsOf } from "../../contract/rules/session-settings.ts"
import type { Passage } from "../../contract/values.ts"
import type { Rights } from "../../knowledge/rights.ts"
import { contextItems } from "../../projection/context.ts"
import type { SessionState, StepState } from "../../session/state.ts"
import { quotable } from "../../tools/knowledge-search.ts"
import type { SessionContext } from "../session-context.ts"
import type { UserItem } from "../../contract/views/context.ts"

/** Characters of the query that are stored with the passages. */
const keptQuery = 500

export async function retrieve(session: SessionContext, signal: AbortSignal): Promise<void> {
  const { services, state } = session
  const { knowledge } = services
  const step = firstStep(state)
  const prompt = newestPrompt(session)
  if (knowledge === undefined || knowledge.autoRetrieve === 0 || !knowledge.source.exists) return
  if (step === undefined || prompt === undefined) return
  const found = await passagesFor(session, prompt.text, signal)
  const passages = quotable(found, services.scrubber)
  if (signal.aborted || passages.length === 0) return
  const query = prompt.text.slice(0, keptQuery).toWellFormed()
  await session.report({ type: "retrieved", stepId: step.id, query, passages })
}

/** A visitor sees what the groups of the turn's visit may see; local users see everything of their organisation. */
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
    return await knowledge.source.search(
      { text, limit: knowledge.autoRetrieve, rights, sets: [], mustFit: true },
      signal,
    )
  } catch (fault) {
    if (!signal.aborted) warn(`cannot search the documents: ${String(fault)}`, session.id)
    return []
  }
}

/** Prompts that join a running turn, and answers that are continued, bring no documents. */
function firstStep({ turn }: SessionState): StepState | undefined {
  const isFirst = turn?.steps === 1 && turn.step?.continues === undefined
  return isFirst ? turn.step : undefined
}

/** Undefined where an earlier host has already searched for this turn. */
function newestPrompt({ context }: SessionContext): UserItem | undefined {
  const newest = contextItems(context).findLast((item) => item.kind === "user")
  return newest === undefined || newest.passages !== undefined || newest.text.trim() === "" ? undefined : newest
}
