import { reportAt, type Performers } from "../../../runner/performer.ts"

export const approvalsPerformers: Performers<"expire-approval"> = {
  "expire-approval": reportAt(({ approvalId }) => ({ type: "approval-expired", approvalId })),
}
