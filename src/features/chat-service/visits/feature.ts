// Visits: who connected, and what the client can show. A session keeps the newest visit and the newest contact.
import type { CommandOf } from "../../../contract/commands.ts"
import type { EventOf } from "../../../contract/events.ts"
import { submitTool } from "../../../contract/rules/interactions.ts"
import { memberIn, textIn } from "../../../contract/json-object.ts"
import { limits } from "../../../contract/limits.ts"
import type { Contact, JsonValue } from "../../../contract/values.ts"
import { accepted, type Decision, type Stamp } from "../../../session/decision.ts"
import type { Feature } from "../../../session/feature.ts"
import { findCall, type SessionState } from "../../../session/state.ts"
import type { VisitGroups, VisitsState } from "./state.ts"

export const visits = {
  initial: { visit: undefined, contact: {}, visitGroups: [], visitors: [] },
  commands: { "open-visit": openVisit },
  evolve: {
    "visit.opened": visitOpened,
    "interaction.answered": (state, { interactionId, outcome, values }) => {
      const kind = state.interactions.find(({ id }) => id === interactionId)?.kind
      return kind === "identity_intake" && outcome === "submitted" ? contactFrom(state, values) : {}
    },
    // Where the client shows no cards, a tool submits what the visitor wrote.
    "tool.ended": (state, { callId, outcome, details }) => {
      const isSubmission = outcome === "done" && findCall(state, callId)?.tool === submitTool
      return isSubmission ? contactFrom(state, memberIn(details, "introduction")) : {}
    },
  },
} satisfies Feature<VisitsState>

function openVisit(state: SessionState, command: CommandOf<"open-visit">, { by }: Stamp): Decision {
  const { visitId, agentId, contact, supports, participants, groups, caller } = command
  const opened = { type: "visit.opened", visitId, agentId, contact, supports, participants, groups, caller } as const
  const visit = { ...opened, principal: by.principal }
  return state.life === "ended" ? accepted({ type: "session.reopened", by }, visit) : accepted(visit)
}

function visitOpened(state: SessionState, event: EventOf<"visit.opened">): VisitsState {
  const { visitId, agentId, principal, contact, groups = [], caller } = event
  const supports = event.supports ?? state.visit?.supports ?? []
  return {
    visit: { visitId, agentId, principal, supports, ...(caller === undefined ? {} : { caller }) },
    visitors: [...state.visitors.filter((other) => other !== principal), principal].slice(-limits.rememberedVisits),
    visitGroups: groups.length === 0 ? state.visitGroups : withGroups(state, { visitId, groups }),
    ...contactFrom(state, contact),
  }
}

function withGroups({ visitGroups }: SessionState, visit: VisitGroups): readonly VisitGroups[] {
  return [...visitGroups.filter(({ visitId }) => visitId !== visit.visitId), visit].slice(-limits.rememberedVisits)
}

function contactFrom({ contact }: SessionState, values: JsonValue | undefined): Pick<VisitsState, "contact"> {
  const entries = (["name", "email", "phone"] as const).flatMap((key) => {
    const value = textIn(values, key)
    return value === undefined ? [] : [[key, value] as const]
  })
  const newest: Contact = Object.fromEntries(entries)
  return { contact: { ...contact, ...newest } }
}
