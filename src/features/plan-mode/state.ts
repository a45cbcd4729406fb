// What decisions need to know of plan mode.
import type { PlanId } from "../../contract/ids.ts"

export interface PlanModeState {
  /** The open plan: every turn belongs to it. */
  readonly plan: PlanState | undefined
  /** The plan that was left last: entering plan mode again continues it. */
  readonly leftPlan: PlanState | undefined
}

export interface PlanState {
  readonly id: PlanId
  /** What it is about. */
  readonly focus: string | undefined
}
