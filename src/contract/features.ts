// The contracts of the features: events, commands, refusals and deltas. One line per feature.
import { agentTreeContract } from "../features/agent-tree/events.ts"
import { approvalsContract } from "../features/approvals/events.ts"
import { budgetContract } from "../features/budget/events.ts"
import { escalationContract } from "../features/chat-service/escalation/events.ts"
import { interactionsContract } from "../features/chat-service/interactions/events.ts"
import { verificationContract } from "../features/chat-service/verification/events.ts"
import { visitsContract } from "../features/chat-service/visits/events.ts"
import { workflowContract } from "../features/chat-service/workflow/events.ts"
import { hibernationContract } from "../features/hibernation/events.ts"
import { locksContract } from "../features/locks/events.ts"
import { planModeContract } from "../features/plan-mode/events.ts"
import { rewindingContract } from "../features/rewinding/events.ts"
import { shellsContract } from "../features/shells/events.ts"
import { tasksContract } from "../features/tasks/events.ts"
import { thinkingContract } from "../features/thinking/events.ts"
import { undoContract } from "../features/undo/events.ts"
import { votingContract } from "../features/voting/events.ts"

export const featureContracts = [
  agentTreeContract,
  approvalsContract,
  budgetContract,
  hibernationContract,
  locksContract,
  planModeContract,
  rewindingContract,
  shellsContract,
  tasksContract,
  thinkingContract,
  undoContract,
  votingContract,
  visitsContract,
  interactionsContract,
  verificationContract,
  escalationContract,
  workflowContract,
] as const
export type FeatureContract = (typeof featureContracts)[number]
