// `turnhouse approvals`: pending approval requests and escalations of all sessions, and standing permissions.
import { exitCodes, usageFault } from "../../../app/app-fault.ts"
import { findByPrefix } from "../../../app/find-by-prefix.ts"
import { withLog } from "../../../app/host/open-log.ts"
import { openSession, sendCommand, withHomeConnection } from "../../../app/host/send-command.ts"
import { listGrants, pendingRequests, type StoredGrant } from "../../../app/sessions/approvals.ts"
import { listSessions, type HomeLog } from "../../../app/sessions/sessions.ts"
import { printNotice, styled } from "../../../app/terminal.ts"
import { refuseToolProcess } from "../../../app/tool-process.ts"
import type { Refusal } from "../../../contract/refusals.ts"
import { describeRefusal } from "../../../contract/text/describe-refusal.ts"
import { oneLine } from "../../../contract/text/text.ts"
import {
  describeEscalation,
  describeRequest,
  escalationAsJson,
  escalationsOf,
  grantAsJson,
  grantSentence,
  howToAnswer,
  requestAsJson,
} from "../../approvals/describe.ts"
import type { Args } from "../../command.ts"
import { writeJson } from "../../output.ts"

export async function run(args: Args): Promise<number> {
  const grantId = args.text("revoke")
  if (grantId !== undefined) refuseToolProcess("approvals --revoke")
  if (grantId !== undefined) return revoke(grantId, args.flag("json"))
  return withLog((log) => (args.flag("granted") ? showGrants : showOpen)(log, args.flag("json")))
}

async function showOpen(log: HomeLog, json: boolean): Promise<number> {
  const { requests, unreadable } = await pendingRequests(log)
  const escalations = escalationsOf(await listSessions(log))
  const now = Date.now()
  const blocks = [
    ...requests.map((one) => `${describeRequest(one, now, process.stdout)}\n${howToAnswer(one)}\n`),
    ...escalations.map((one) => `${describeEscalation(one)}\n`),
  ]
  if (json) writeJson([...requests.map(requestAsJson), ...escalations.map(escalationAsJson)])
  else process.stdout.write(blocks.join("\n") || "No pending approvals or escalations.\n")
  return passedOver(unreadable)
}

async function showGrants(log: HomeLog, json: boolean): Promise<number> {
  const { grants, unreadable } = await listGrants(log)
  if (json) writeJson(grants.map(grantAsJson))
  else process.stdout.write(grants.length === 0 ? "No standing permissions.\n" : listed(grants))
  return passedOver(unreadable)
}

function listed(grants: readonly StoredGrant[]): string {
  const lines = grants.map(({ grant, session }) => {
    const id = styled("bold", oneLine(grant.grantId, Infinity), process.stdout)
    return `${id}  ${grantSentence(grant, session.status.cwd, session.row.sessionId)}\n`
  })
  return `${lines.join("")}\n'turnhouse approvals --revoke ID' revokes one.\n`
}

async function revoke(idOrPrefix: string, json: boolean): Promise<number> {
  return withHomeConnection("approvals", async ({ log, port }) => {
    const { grants, unreadable } = await listGrants(log)
    passedOver(unreadable)
    const { grant, session } = oneGrant(grants, idOrPrefix)
    const { sessionId } = session.row
    const handle = await openSession(port, sessionId, "approvals")
    await sendCommand(handle, { type: "revoke-grant", grantId: grant.grantId })
    const { cwd } = session.status
    if (json) writeJson({ id: grant.grantId, revoked: true })
    else process.stdout.write(`revoked: ${grantSentence(grant, cwd, sessionId)}\n`)
    return exitCodes.done
  })
}

function oneGrant(grants: readonly StoredGrant[], idOrPrefix: string): StoredGrant {
  const found = findByPrefix(grants, "grt_", idOrPrefix, ({ grant }) => grant.grantId)
  if (found.kind === "one") return found.item
  if (found.kind === "none")
    throw usageFault(`no standing permission has the id '${idOrPrefix}'. 'turnhouse approvals --granted' lists them.`)
  const ids = found.items.map(({ grant }) => grant.grantId)
  throw usageFault(`'${idOrPrefix}' matches more than one permission: ${ids.join(", ")}`)
}

/** An unreadable session may hide a request: the exit code shows that. */
function passedOver(unreadable: readonly Refusal[]): number {
  for (const refusal of unreadable) printNotice(`turnhouse: ${describeRefusal(refusal)}`)
  return unreadable.length === 0 ? exitCodes.done : exitCodes.failed
}
