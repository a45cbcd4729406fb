// Finds a pending request by its id and answers it where its session runs.
import { refusalFault, usageFault } from "../../app/app-fault.ts"
import { findByPrefix } from "../../app/find-by-prefix.ts"
import type { HomeConnection } from "../../app/host/home-connection.ts"
import { openSession, sendCommand } from "../../app/host/send-command.ts"
import { pendingRequests, settledApproval, type PendingRequest } from "../../app/sessions/approvals.ts"
import { rootOf } from "../../app/sessions/session-trees.ts"
import { listSessions, type HomeLog } from "../../app/sessions/sessions.ts"
import { printNotice } from "../../app/terminal.ts"
import type { CommandOf } from "../../contract/commands.ts"
import { describeRefusal } from "../../contract/text/describe-refusal.ts"

export async function requestNamed(log: HomeLog, idOrPrefix: string): Promise<PendingRequest> {
  const { requests, unreadable } = await pendingRequests(log)
  const found = findByPrefix(requests, "apr_", idOrPrefix, ({ request }) => request.approvalId)
  if (found.kind === "one") return found.item
  if (found.kind === "several") {
    const ids = found.items.map(({ request }) => request.approvalId)
    throw usageFault(`'${idOrPrefix}' matches more than one request: ${ids.join(", ")}`)
  }
  const settled = await settledApproval(log, idOrPrefix)
  if (settled !== undefined) throw refusalFault(settled)
  for (const refusal of unreadable) printNotice(`turnhouse: ${describeRefusal(refusal)}`)
  throw usageFault(`no approval request has the id '${idOrPrefix}'. 'turnhouse approvals' lists pending requests.`)
}

/** An agent of a tree that is not open is opened through its root, so that its parents receive its result. */
export async function sendAnswer(
  { log, port }: HomeConnection,
  { request, row }: PendingRequest,
  door: string,
  decision: Pick<CommandOf<"approve">, "approved" | "note" | "remember" | "answer">,
): Promise<void> {
  const { approvalId, digest } = request
  const rootId = row.owner === undefined ? rootOf(await listSessions(log), row.sessionId) : row.sessionId
  if (rootId !== row.sessionId) await openSession(port, rootId, door)
  const handle = await openSession(port, row.sessionId, door)
  await sendCommand(handle, { type: "approve", approvalId, digest, ...decision })
}
