// Visits through the network door: who came, as whom, and what their client can show. A session remembers the newest,
// and the contact that was given last.
import type { CommandOf } from "../contract/commands.ts"
import type { EventOf } from "../contract/events.ts"
import { submitTool } from "../contract/interactions.ts"
import { memberIn, textIn } from "../contract/json-object.ts"
import { limits } from "../contract/limits.ts"
import type { Contact, JsonValue } from "../contract/values.ts"
import { accepted, type Decision, type Stamp } from "./decision.ts"
import { findCall, type SessionState, type VisitGroups } from "./state.ts"

export function openVisit(state: SessionState, command: CommandOf<"open-visit">, stamp: Stamp): Decision {
  const { visitId, agentId, contact, supports, participants, groups, caller } = command
  const opened = { type: "visit.opened", visitId, agentId, contact, supports, participants, groups, caller } as const
  const visit = { ...opened, principal: stamp.by.principal }
  return state.life === "ended" ? accepted({ type: "session.reopened", by: stamp.by }, visit) : accepted(visit)
}

export function visited(state: SessionState, event: EventOf<"visit.opened">): SessionState {
  const { visitId, agentId, principal, supports, contact, groups = [], caller } = event
  const shown = supports ?? state.visit?.supports ?? []
  return {
    ...state,
    visit: { visitId, agentId, principal, supports: shown, ...(caller === undefined ? {} : { caller }) },
    visitors: [...state.visitors.filter((other) => other !== principal), principal].slice(-limits.rememberedVisits),
    visitGroups: groups.length === 0 ? state.visitGroups : withGroups(state, { visitId, groups }),
    contact: { ...state.contact, ...given(contact) },
  }
}

function withGroups({ visitGroups }: SessionState, visit: VisitGroups): readonly VisitGroups[] {
  return [...visitGroups.filter(({ visitId }) => visitId !== visit.visitId), visit].slice(-limits.rememberedVisits)
}

/** What a visitor said of themselves in a card. */
export function introduced(state: SessionState, values: JsonValue | undefined): SessionState {
  return { ...state, contact: { ...state.contact, ...given(values) } }
}

/** The same where the client shows no cards: a tool wrote down what the visitor said. */
export function heard(state: SessionState, { callId, outcome, details }: EventOf<"tool.ended">): SessionState {
  if (outcome !== "done" || findCall(state, callId)?.tool !== submitTool) return state
  return introduced(state, memberIn(details, "introduction"))
}

function given(values: JsonValue | undefined): Contact {
  const known = (["name", "email", "phone"] as const).flatMap((key) => {
    const value = textIn(values, key)
    return value === undefined ? [] : [[key, value] as const]
  })
  return Object.fromEntries(known)
}
