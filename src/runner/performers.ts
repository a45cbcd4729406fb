// Every effect and what performs it. An effect that is missing here does not compile.
import { offerCode, sendCode } from "../features/chat-service/verification/effects/send-code.ts"
import { judge } from "../features/chat-service/workflow/effects.ts"
import { undoFiles } from "../features/undo/effects/undo-files.ts"
import type { Effect, EffectOf, RunnerReport } from "../session/report.ts"
import { findCall, type SessionState } from "../session/state.ts"
import { compact } from "./compaction/compact.ts"
import { callModel } from "./model/model-step.ts"
import type { SessionContext } from "./session-context.ts"
import { whileFolderIsFree } from "./tools/free-folder.ts"
import { runCall } from "./tools/run-call.ts"
import { waitUntil } from "./waiting.ts"

export type EffectType = Effect["type"]

interface Performer<Type extends EffectType> {
  readonly perform: (session: SessionContext, effect: EffectOf<Type>, signal: AbortSignal) => Promise<void>
  /** Whether it must not be cut off when the host leaves: repeating it costs money, or is not safe. Default: no. */
  readonly mustFinish?: (state: SessionState, effect: EffectOf<Type>) => boolean
  /** Whether a process runs for it now. Default: no. */
  readonly hasProcess?: (state: SessionState, effect: EffectOf<Type>) => boolean
}

const mustFinish = (): boolean => true

export const performers: { readonly [Type in EffectType]: Performer<Type> } = {
  "call-model": { perform: (session, { stepId }, signal) => callModel(session, stepId, signal), mustFinish },
  "run-call": {
    perform: (session, { callId }, signal) => runCall(session, callId, signal),
    mustFinish: (state, { callId }) => findCall(state, callId)?.started?.class === "unsafe", // its outcome would be unknown
    hasProcess: (state, { callId }) => findCall(state, callId)?.started?.process !== undefined,
  },
  compact: { perform: (session, { compactionId }, signal) => compact(session, compactionId, signal), mustFinish },
  "end-park": reportAt(({ turnId }) => ({ type: "park-elapsed", turnId })),
  "await-budget": {
    async perform(session, { turnId }, signal) {
      await session.services.ledger.released(session.id, signal)
      if (!signal.aborted) await session.report({ type: "park-elapsed", turnId })
    },
  },
  "expire-approval": reportAt(({ approvalId }) => ({ type: "approval-expired", approvalId })),
  "keep-child": {
    perform: (session, { childId }, signal) => session.services.children.keep(session, childId, signal),
  },
  "end-child": {
    perform: (session, { childId, when }, signal) => session.services.children.end(session, childId, when, signal),
  },
  "detach-child": {
    perform: (session, { childId }, signal) => session.services.children.detach(session, childId, signal),
  },
  "end-shell": { perform: async (session, { shellId }) => void (await session.shells.kill(shellId)) },
  judge: { perform: (session, { turnId }, signal) => judge(session, turnId, signal), mustFinish },
  "expire-interaction": reportAt(({ interactionId }) => ({ type: "interaction-expired", interactionId })),
  "offer-code": { perform: (session, { turnId }) => offerCode(session, turnId) },
  "send-code": {
    perform: (session, { verificationId }, signal) => sendCode(session, verificationId, signal),
    mustFinish, // the mail may be half written
  },
  "undo-files": {
    perform: (session, { undoId }, signal) =>
      undoFiles(session, undoId, (folder, work) => whileFolderIsFree(session, folder, signal, work)),
    mustFinish,
  },
  "expire-verification": reportAt(({ verificationId }) => ({ type: "verification-expired", verificationId })),
}

/** Reports once the time of the effect has come. */
function reportAt<Type extends Extract<Effect, { readonly at: number }>["type"]>(
  report: (effect: EffectOf<Type>) => RunnerReport,
): Performer<Type> {
  return {
    async perform(session, effect, signal) {
      await waitUntil(effect.at, session.services.now, signal)
      if (!signal.aborted) await session.report(report(effect))
    },
  }
}
