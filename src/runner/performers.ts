// Every effect and what performs it. An effect that is missing here does not compile.
import { agentTreePerformers } from "../features/agent-tree/effects/performers.ts"
import { approvalsPerformers } from "../features/approvals/effects/performers.ts"
import { budgetPerformers } from "../features/budget/effects/performers.ts"
import { offerCode, sendCode } from "../features/chat-service/verification/effects/send-code.ts"
import { judge } from "../features/chat-service/workflow/effects.ts"
import { findCall } from "../session/state.ts"
import { compact } from "./compaction/compact.ts"
import { callModel } from "./model/model-step.ts"
import { reportAt, type Performers } from "./performer.ts"
import { runCall } from "./tools/run-call.ts"

const isPrecious = (): boolean => true

export const performers: Performers = {
  "call-model": { perform: (session, { stepId }, signal) => callModel(session, stepId, signal), isPrecious },
  "run-call": {
    perform: (session, { callId }, signal) => runCall(session, callId, signal),
    isPrecious: (state, { callId }) => findCall(state, callId)?.started?.class === "unsafe", // its outcome would be unknown
    hasProcess: (state, { callId }) => findCall(state, callId)?.started?.process !== undefined,
  },
  compact: { perform: (session, { compactionId }, signal) => compact(session, compactionId, signal), isPrecious },
  "end-park": reportAt(({ turnId }) => ({ type: "park-elapsed", turnId })),
  judge: { perform: (session, { turnId }, signal) => judge(session, turnId, signal), isPrecious },
  "expire-interaction": reportAt(({ interactionId }) => ({ type: "interaction-expired", interactionId })),
  "offer-code": { perform: (session, { turnId }) => offerCode(session, turnId) },
  "send-code": {
    perform: (session, { verificationId }, signal) => sendCode(session, verificationId, signal),
    isPrecious, // the mail may be half written
  },
  "expire-verification": reportAt(({ verificationId }) => ({ type: "verification-expired", verificationId })),
  ...approvalsPerformers,
  ...budgetPerformers,
  ...agentTreePerformers,
}
