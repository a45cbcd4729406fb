// The types that features add to the kernel's: state, reports and effects. One line per feature; behaviour is in
// features.ts.
import type { AgentTreeEffect, AgentTreeReport, AgentTreeState } from "../features/agent-tree/state.ts"
import type { ApprovalsEffect, ApprovalsReport, ApprovalsState } from "../features/approvals/state.ts"
import type { BudgetState } from "../features/budget/state.ts"
import type { EscalationState } from "../features/chat-service/escalation/state.ts"
import type {
  InteractionsEffect,
  InteractionsReport,
  InteractionsState,
} from "../features/chat-service/interactions/state.ts"
import type {
  VerificationEffect,
  VerificationReport,
  VerificationsState,
} from "../features/chat-service/verification/state.ts"
import type { VisitsState } from "../features/chat-service/visits/state.ts"
import type { WorkflowEffect, WorkflowReport, WorkflowState } from "../features/chat-service/workflow/state.ts"
import type { HibernationState } from "../features/hibernation/state.ts"
import type { PlanModeState } from "../features/plan-mode/state.ts"
import type { RewindingState } from "../features/rewinding/state.ts"
import type { ShellsEffect, ShellsReport, ShellsState } from "../features/shells/state.ts"
import type { ThinkingState } from "../features/thinking/state.ts"
import type { TasksReport, TasksState } from "../features/tasks/state.ts"
import type { UndoEffect, UndoReportOfRunner, UndoState } from "../features/undo/state.ts"
import type { VotingState } from "../features/voting/state.ts"

export interface FeatureTypes {
  hibernation: FeatureType<HibernationState>
  approvals: FeatureType<ApprovalsState, ApprovalsReport, ApprovalsEffect>
  agentTree: FeatureType<AgentTreeState, AgentTreeReport, AgentTreeEffect>
  planMode: FeatureType<PlanModeState>
  rewinding: FeatureType<RewindingState>
  shells: FeatureType<ShellsState, ShellsReport, ShellsEffect>
  undo: FeatureType<UndoState, UndoReportOfRunner, UndoEffect>
  voting: FeatureType<VotingState>
  thinking: FeatureType<ThinkingState>
  budget: FeatureType<BudgetState>
  tasks: FeatureType<TasksState, TasksReport>
  visits: FeatureType<VisitsState>
  interactions: FeatureType<InteractionsState, InteractionsReport, InteractionsEffect>
  verification: FeatureType<VerificationsState, VerificationReport, VerificationEffect>
  escalation: FeatureType<EscalationState>
  workflow: FeatureType<WorkflowState, WorkflowReport, WorkflowEffect>
}

interface FeatureType<State, Report = never, Effect = never> {
  readonly state: State
  readonly report: Report
  readonly effect: Effect
}

type AnyFeature = FeatureTypes[keyof FeatureTypes]
export type FeatureStates = Intersection<AnyFeature["state"]>
export type FeatureReport = AnyFeature["report"]
export type FeatureEffect = AnyFeature["effect"]

type Intersection<Union> = (Union extends unknown ? (member: Union) => void : never) extends (all: infer All) => void
  ? All
  : never
