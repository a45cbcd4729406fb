// The kernel's folds. Bounded: what could grow with the history (ids of prompts) is cut to a limit here.
import type { EventOf } from "../contract/events.ts"
import { limits } from "../contract/limits.ts"
import { treeDoor } from "../contract/rules/session-settings.ts"
import { promptDigest, referenceDigest } from "./digest.ts"
import type { Feature } from "./feature.ts"
import { findCall, withCall, withStep, withTurn, type KernelState, type OpenTurn } from "./state.ts"

const unchanged = (): Partial<KernelState> => ({})

export const kernelFolds = {
  "session.created": (_, event) => {
    const { name, model, toolMode } = event
    return { created: event, life: "open", name, model, toolMode }
  },
  "session.reopened": () => ({ life: "open", endsWhenIdle: false, endsForParent: false }),
  "session.aliased": unchanged,
  // A root: its depth and budget are its own, and requests of the former parent no longer count.
  "session.orphaned": ({ created, endsWhenIdle, endsForParent }) => {
    if (created === undefined) return {}
    const { parent: _, ...root } = created
    return { created: root, endsWhenIdle: endsWhenIdle && !endsForParent, endsForParent: false }
  },
  "session.renamed": (_, { name }) => ({ name }),
  "session.ending": (_, { by }) => ({ endsWhenIdle: true, endsForParent: by.door === treeDoor }),
  "session.kept": () => ({ endsWhenIdle: false }),
  "session.ended": () => ({ life: "ended" }),
  "prompt.admitted": ({ prompts, waiting }, event, seq) => {
    const { promptId: id, reference } = event
    const mark = { id, digest: promptDigest(event), seq, reference: referenceDigest(reference) }
    return { prompts: [...prompts, mark].slice(-limits.rememberedPrompts), waiting: [...waiting, event] }
  },
  "prompt.promoted": (state, { promptId }) => {
    const prompt = state.waiting.find((waiting) => waiting.promptId === promptId)
    return {
      waiting: state.waiting.filter((other) => other !== prompt),
      prompts: promotedMarks(state, promptId),
      ...withTurn(state, { refusedSteps: 0, ...((prompt?.files ?? []).length === 0 ? {} : { hasFiles: true }) }),
    }
  },
  "prompt.withdrawn": ({ waiting }, { promptId }) => ({
    waiting: waiting.filter((prompt) => prompt.promptId !== promptId),
  }),
  "turn.started": ({ model, toolMode }, { turnId: id, planId, skill, visitId, model: ownModel }) => {
    const NEW_TURN = {
      steps: 0,
      step: undefined,
      over: false,
      finish: undefined,
      parked: undefined,
      adoptions: 0,
      refusedSteps: 0,
    }
    const turn = { id, planId, model: ownModel ?? model, skill, visitId, hasFiles: false, toolMode, ...NEW_TURN }
    return { turn }
  },
  "turn.parked": (state, { why, until, waitsFor }) => withTurn(state, { parked: { why, until, waitsFor } }),
  "turn.resumed": (state) => withTurn(state, { parked: undefined, adoptions: 0 }),
  "turn.adopted": (state, { attempt }) => withTurn(state, { adoptions: attempt }),
  "turn.ended": () => ({ turn: undefined }),
  "step.started": (state, { stepId: id, continues }) => {
    const step = { id, continues, answered: false, compactions: 0, calls: [], hasResult: false }
    return withTurn(state, { step, steps: (state.turn?.steps ?? 0) + 1 })
  },
  "text.ended": unchanged,
  "reasoning.ended": unchanged,
  "response.ended": (state, { finish }) => progressed(withTurn(withStep(state, { answered: true }), { finish })),
  "step.ended": (state) => {
    const { step, refusedSteps = 0 } = state.turn ?? {}
    const isRefused = step !== undefined && step.calls.length > 0 && !step.hasResult
    const over = step?.calls.length === 0
    return withTurn(state, { step: undefined, over, refusedSteps: isRefused ? refusedSteps + 1 : 0 })
  },
  "tool.called": (state, { callId: id, tool, input }) => {
    const call = {
      id,
      tool,
      input,
      phase: "called",
      modified: false,
      approvedDigest: undefined,
      started: undefined,
    } as const
    return withStep(state, { calls: [...(state.turn?.step?.calls ?? []), call] })
  },
  // Also after an approval: a changed call passes its gates again.
  "tool.modified": (state, { callId, input }) =>
    withCall(state, callId, { input, modified: true, phase: "called", approvedDigest: undefined }),
  "tool.started": (state, event) =>
    withCall(state, event.callId, { phase: "started", started: { class: event.class, process: event.process } }),
  "tool.ended": (state, { callId }) => progressed(withResult(withCall(state, callId, { phase: "settled" }))),
  "tool.refused": (state, { callId, by }) => {
    const hasResult = findCall(state, callId)?.phase === "asked" || notModelsMistake.has(by)
    const settled = withCall(state, callId, { phase: "settled" })
    return progressed(hasResult ? withResult(settled) : settled)
  },
  "tool.unsettled": (state, { callId }) => withResult(withCall(state, callId, { phase: "settled" })),
  "compaction.started": (state, { compactionId, focus }) => ({
    ...withStep(state, { compactions: (state.turn?.step?.compactions ?? 0) + 1 }),
    compaction: compactionId,
    compactionFocus: focus,
  }),
  "compaction.failed": () => ({ compaction: undefined, compactionFocus: undefined }),
  "context.compacted": (state) => ({ ...progressed(state), compaction: undefined, compactionFocus: undefined }),
  "context.retrieved": unchanged,
  "context.cleared": unchanged,
  "model.selected": (_, { model }) => ({ model }),
  "model.replaced": (state, { model }) => withTurn(state, { model }),
  "tools.selected": (_, { mode }) => ({ toolMode: mode }),
} satisfies Feature<KernelState>["evolve"]

function withResult(state: OpenTurn): OpenTurn {
  return withStep(state, { hasResult: true })
}

/** Refusals that depend on others: another agent holds a lock, the visitor did not verify an address. */
const notModelsMistake: ReadonlySet<string> = new Set(["locks", "verification"])

/** A host that adopts the turn does not have to repeat what was finished here. */
function progressed(state: OpenTurn): OpenTurn {
  return withTurn(state, { adoptions: 0 })
}

/** Until its turn is over, the same text under the same reference is the same prompt. */
function promotedMarks(
  { prompts, turn }: KernelState,
  promptId: EventOf<"prompt.promoted">["promptId"],
): KernelState["prompts"] {
  const at = prompts.findLastIndex(({ id }) => id === promptId)
  const mark = prompts[at]
  return mark === undefined || turn === undefined ? prompts : prompts.with(at, { ...mark, turnId: turn.id })
}
