// The kernel's folds. Bounded: what could grow with the history (ids of prompts) is cut to a limit here.
import type { EventOf } from "../contract/events.ts"
import { limits } from "../contract/limits.ts"
import { treeDoor } from "../contract/rules/session-settings.ts"
import { promptDigest, referenceDigest } from "./digest.ts"
import type { Feature } from "./feature.ts"
import type { CallState, SessionState, StepState, TurnState } from "./state.ts"
import { withCall, withStep, withTurn } from "./turn-changes.ts"

type Change = Partial<SessionState>

const unchanged = (): Change => ({})

export const kernelFolds = {
  "session.created": (_, event) => {
    const { name, model, toolMode } = event
    return { created: event, life: "open", name, model, toolMode }
  },
  "session.reopened": () => ({ life: "open", endsWhenIdle: false, endsForParent: false }),
  "session.aliased": unchanged,
  "session.orphaned": orphaned,
  "session.renamed": (_, { name }) => ({ name }),
  "session.ending": (_, { by }) => ({ endsWhenIdle: true, endsForParent: by.door === treeDoor }),
  "session.kept": () => ({ endsWhenIdle: false }),
  "session.ended": () => ({ life: "ended" }),
  "prompt.admitted": admitted,
  "prompt.promoted": promoted,
  "prompt.withdrawn": ({ waiting }, { promptId }) => ({
    waiting: waiting.filter((prompt) => prompt.promptId !== promptId),
  }),
  "turn.started": (state, event) => ({ turn: newTurn(state, event) }),
  "turn.parked": (state, { why, until, waitsFor }) => withTurn(state, { parked: { why, until, waitsFor } }),
  "turn.resumed": (state) => withTurn(state, { parked: undefined, adoptions: 0 }),
  "turn.adopted": (state, { attempt }) => withTurn(state, { adoptions: attempt }),
  "turn.ended": () => ({ turn: undefined }),
  "step.started": stepStarted,
  "text.ended": unchanged,
  "reasoning.ended": unchanged,
  "response.ended": (state, { finish }) => progressed(withTurn(withStep(state, { answered: true }), { finish })),
  "step.ended": (state) => withTurn(state, { step: undefined, over: state.turn?.step?.calls.length === 0 }),
  "tool.called": called,
  "tool.modified": (state, { callId, input }) =>
    withCall(state, callId, { input, modified: true, approvedDigest: undefined }),
  "tool.started": (state, event) =>
    withCall(state, event.callId, { phase: "started", started: { class: event.class, process: event.process } }),
  "tool.ended": (state, event) => progressed(withCall(state, event.callId, { phase: "settled" })),
  "tool.refused": (state, event) => progressed(withCall(state, event.callId, { phase: "settled" })),
  "tool.unsettled": (state, { callId }) => withCall(state, callId, { phase: "settled" }),
  "compaction.started": (state, { compactionId }) => ({
    ...withStep(state, { compactions: (state.turn?.step?.compactions ?? 0) + 1 }),
    compaction: compactionId,
  }),
  "compaction.failed": () => ({ compaction: undefined }),
  "context.compacted": (state) => ({ ...progressed(state), compaction: undefined }),
  "context.retrieved": unchanged,
  "context.cleared": unchanged,
  "model.selected": (_, { model }) => ({ model }),
  "tools.selected": (_, { mode }) => ({ toolMode: mode }),
} satisfies Feature["evolve"]

/** A root: its depth and budget are its own, and requests of the former parent no longer count. */
function orphaned(state: SessionState): SessionState {
  if (state.created === undefined) return state
  const { parent: _, ...root } = state.created
  const endsWhenIdle = state.endsWhenIdle && !state.endsForParent
  return { ...state, created: root, endsWhenIdle, endsForParent: false }
}

/** Something was finished that a takeover will not have to do again. */
function progressed(state: SessionState): SessionState {
  return withTurn(state, { adoptions: 0 })
}

function admitted(state: SessionState, event: EventOf<"prompt.admitted">): SessionState {
  const mark = {
    id: event.promptId,
    digest: promptDigest(event),
    seq: state.seq + 1,
    reference: referenceDigest(event.reference),
  }
  const prompts = [...state.prompts, mark].slice(-limits.rememberedPrompts)
  return { ...state, prompts, waiting: [...state.waiting, event] }
}

function promoted(state: SessionState, event: EventOf<"prompt.promoted">): SessionState {
  const prompt = state.waiting.find((waiting) => waiting.promptId === event.promptId)
  const waiting = state.waiting.filter((other) => other !== prompt)
  const next = { ...state, waiting, prompts: promotedMarks(state, event) }
  return (prompt?.files ?? []).length === 0 ? next : withTurn(next, { hasFiles: true })
}

/** Until its turn is over, the same text under the same reference is the same prompt. */
function promotedMarks(
  { prompts, turn }: SessionState,
  { promptId }: EventOf<"prompt.promoted">,
): SessionState["prompts"] {
  const at = prompts.findLastIndex(({ id }) => id === promptId)
  const mark = prompts[at]
  return mark === undefined || turn === undefined ? prompts : prompts.with(at, { ...mark, turnId: turn.id })
}

function newTurn(state: SessionState, event: EventOf<"turn.started">): TurnState {
  return {
    id: event.turnId,
    planId: event.planId,
    model: event.model ?? state.model,
    skill: event.skill,
    visitId: event.visitId,
    hasFiles: false,
    toolMode: state.toolMode,
    steps: 0,
    step: undefined,
    over: false,
    finish: undefined,
    parked: undefined,
    adoptions: 0,
  }
}

function stepStarted(state: SessionState, event: EventOf<"step.started">): SessionState {
  const step: StepState = {
    id: event.stepId,
    continues: event.continues,
    answered: false,
    compactions: 0,
    calls: [],
  }
  return withTurn(state, { step, steps: (state.turn?.steps ?? 0) + 1 })
}

function called(state: SessionState, event: EventOf<"tool.called">): SessionState {
  const call: CallState = {
    id: event.callId,
    tool: event.tool,
    input: event.input,
    phase: "called",
    modified: false,
    approvedDigest: undefined,
    started: undefined,
  }
  return withStep(state, { calls: [...(state.turn?.step?.calls ?? []), call] })
}
