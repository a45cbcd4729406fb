// `turnhouse approve ID`: answers one request. It is shown first, and the answer is bound to its arguments: if they have
// changed, it is refused. The background host opens a session that no process has open, so that its turn continues.
import { exitCodes, refusalFault, usageFault } from "../../../app/app-fault.ts"
import { findByPrefix } from "../../../app/find-by-prefix.ts"
import type { HomeConnection } from "../../../app/host/home-connection.ts"
import { openSession, sendCommand, withHomeConnection } from "../../../app/host/send-command.ts"
import { localUser } from "../../../app/local-user.ts"
import { newestGrant, pendingRequests, settledApproval, type PendingRequest } from "../../../app/sessions/approvals.ts"
import { rootOf } from "../../../app/sessions/session-trees.ts"
import { listSessions, type HomeLog } from "../../../app/sessions/sessions.ts"
import { printNotice } from "../../../app/terminal.ts"
import { describeRefusal } from "../../../contract/text/describe-refusal.ts"
import type { Grant } from "../../../contract/values.ts"
import { noStatus, readStatus } from "../../../projection/status.ts"
import { describeRequest, grantSentence } from "../../approvals/describe.ts"
import { checkRemember, rememberOf, type Remember } from "../../approvals/remember.ts"
import type { Args } from "../../command.ts"
import { canAsk, confirm } from "../../confirm.ts"
import { writeJson } from "../../output.ts"

const door = "approve"

export async function run(args: Args): Promise<number> {
  const idOrPrefix = args.first("name one request; 'turnhouse approvals' lists them")
  const options = { scope: args.text("for"), pattern: args.text("pattern"), deny: args.flag("deny") }
  checkRemember(options)
  return withHomeConnection(door, async (home) => {
    const { log } = home
    const found = await requestNamed(log, idOrPrefix)
    const remember = rememberOf(options, found)
    printNotice(describeRequest(found, Date.now(), process.stderr))
    if (remember !== undefined && !(await confirmPermission(remember, found))) {
      printNotice("not answered")
      return exitCodes.refused
    }
    await answer(home, found, { approved: !options.deny, note: args.text("note"), remember })
    report(found, remember === undefined ? undefined : await newestGrant(log, found.row.sessionId), args)
    return exitCodes.done
  })
}

async function requestNamed(log: HomeLog, idOrPrefix: string): Promise<PendingRequest> {
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

/** Shown first; at a terminal the user confirms it. */
async function confirmPermission(remember: Remember, { request, row }: PendingRequest): Promise<boolean> {
  const { cwd } = readStatus(row.summary) ?? noStatus
  printNotice(`  from now on  ${grantSentence({ tool: request.tool, ...remember }, cwd, row.sessionId)}`)
  return !canAsk() || confirm("Approve, and allow such calls from now on?")
}

/** An agent of a tree that is not open is opened through its root, so that its parents receive its result. */
async function answer(
  { log, port }: HomeConnection,
  { request, row }: PendingRequest,
  decision: { readonly approved: boolean; readonly note: string | undefined; readonly remember: Remember | undefined },
): Promise<void> {
  const { approvalId, digest } = request
  const rootId = row.owner === undefined ? rootOf(await listSessions(log), row.sessionId) : row.sessionId
  if (rootId !== row.sessionId) await openSession(port, rootId, door)
  const handle = await openSession(port, row.sessionId, door)
  await sendCommand(handle, { type: "approve", approvalId, digest, ...decision })
}

function report({ request, row }: PendingRequest, grant: Grant | undefined, args: Args): void {
  const { approvalId: id } = request
  const { sessionId } = row
  const outcome = args.flag("deny") ? "denied" : "approved"
  if (args.flag("json")) return writeJson({ id, sessionId, outcome, by: localUser(), grant })
  const storedLine = grant === undefined ? "" : `permission ${grant.grantId} stored\n`
  process.stdout.write(`${id} ${outcome}\n${storedLine}`)
}
