// The workflow in the state of a session, and what the runner reports and performs for it.
import type { EventOf } from "../../../contract/events.ts"
import type { TurnId } from "../../../contract/ids.ts"

export interface WorkflowState {
  /** The current step of the agent's workflow; absent before the first judgement. */
  readonly workflow:
    | {
        /** Undefined after the last step. */
        readonly step: string | undefined
        /** Turns that have stayed at it. */
        readonly held: number
      }
    | undefined
}

/** The verdict of a model about the current step. */
export interface WorkflowReport extends Pick<
  EventOf<"workflow.judged">,
  "turnId" | "verdict" | "model" | "usage" | "costUsd"
> {
  readonly type: "workflow-judged"
}

export interface WorkflowEffect {
  readonly type: "judge"
  readonly id: string
  readonly turnId: TurnId
}
