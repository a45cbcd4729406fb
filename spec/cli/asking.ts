// For tests of commands that answer requests: a session that waits for an approval and whose host has died.
import type { ApprovalId } from "../../src/contract/ids.ts"
import type { Running } from "../e2e/running.ts"
import type { Place } from "../e2e/turnhouse.ts"

export interface PendingApproval {
  readonly approvalId: ApprovalId
  readonly sessionId: string
  readonly running: Running
}

export const command = "echo made > made.txt"

/** Still running. */
export async function runUntilApproval(place: Place, shellCommand = command): Promise<PendingApproval> {
  const steps = [[{ call: { tool: "bash", input: { command: shellCommand } } }], [{ text: "I was told." }]]
  const model = place.script(steps)
  const running = place.start(["run", "make it", "--json", "--wait", "1h", "--model", model])
  const { approvalId } = await running.event("approval.requested")
  return { approvalId, sessionId: await place.newest(), running }
}

/** Its host is dead. */
export async function leavePendingApproval(place: Place, shellCommand = command): Promise<PendingApproval> {
  const asking = await runUntilApproval(place, shellCommand)
  asking.running.signal("SIGKILL")
  await asking.running.ended
  return asking
}
