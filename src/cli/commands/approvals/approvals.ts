// `turnhouse approvals`: pending approval requests and escalations of all sessions, and standing permissions.
import { describeRefusal } from "../../../contract/text/describe-refusal.ts"
import type { Refusal } from "../../../contract/refusals.ts"
import {
  openEscalations,
  type OpenEscalation,
} from "../../../features/chat-service/escalation/effects/open-escalations.ts"
import { openRequests, type OpenRequest } from "../../../host/queries/open-requests.ts"
import type { EventLog } from "../../../log/event-log.ts"
import { describeEscalation, escalationAsJson } from "../../approvals/describe-escalation.ts"
import { describeRequest, howToAnswer, requestAsJson } from "../../approvals/describe-request.ts"
import { givenGrants, grantAsJson, grantSentence, type GivenGrant } from "../../approvals/grants.ts"
import { findByPrefix } from "../../find-by-prefix.ts"
import { accepted, usageFault, exitCodes } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { openLog } from "../../../app/compose.ts"
import { loadContextLeniently } from "../../../app/context.ts"
import { openSession, sendCommand, withHomeConnection } from "../../../app/host/send-command.ts"
import { oneLine } from "../../../contract/text/text.ts"
import { printNotice, styled } from "../../../app/terminal.ts"
import { refuseToolProcess } from "../../../app/tool-process.ts"
import { writeJson } from "../../output.ts"

export async function run(args: Args): Promise<number> {
  if (args.positionals.length > 0)
    throw usageFault("approvals takes no arguments. To answer a request: turnhouse approve ID")
  const grantId = args.text("revoke")
  if (grantId !== undefined) refuseToolProcess("approvals --revoke")
  if (grantId !== undefined) return revoke(grantId, args.flag("json"))
  const { home } = await loadContextLeniently()
  const log = openLog(home)
  try {
    return args.flag("granted") ? await showGrants(log, args.flag("json")) : await showOpen(log, args.flag("json"))
  } finally {
    await log.close()
  }
}

async function showOpen(log: EventLog, json: boolean): Promise<number> {
  const open = accepted(await openRequests(log))
  const escalated = accepted(await openEscalations(log))
  const { requests, unreadable } = open.value
  if (json) writeJson([...requests.map(requestAsJson), ...escalated.value.map(escalationAsJson)])
  else process.stdout.write(described(requests, escalated.value))
  return passedOver(unreadable)
}

function described(requests: readonly OpenRequest[], escalations: readonly OpenEscalation[]): string {
  const now = Date.now()
  const blocks = [
    ...requests.map((one) => `${describeRequest(one, now, process.stdout)}\n${howToAnswer(one)}\n`),
    ...escalations.map((one) => `${describeEscalation(one, process.stdout)}\n`),
  ]
  return blocks.length === 0 ? "No pending approvals or escalations.\n" : blocks.join("\n")
}

async function showGrants(log: EventLog, json: boolean): Promise<number> {
  const { grants, unreadable } = await givenGrants(log)
  if (json) writeJson(grants.map(grantAsJson))
  else process.stdout.write(grants.length === 0 ? "No standing permissions.\n" : listed(grants))
  return passedOver(unreadable)
}

function listed(grants: readonly GivenGrant[]): string {
  const lines = grants.map(({ grant, session }) => {
    const id = styled("bold", oneLine(grant.grantId, Infinity), process.stdout)
    return `${id}  ${grantSentence(grant, session.status.cwd, session.row.sessionId)}\n`
  })
  return `${lines.join("")}\n'turnhouse approvals --revoke ID' revokes one.\n`
}

async function revoke(wanted: string, json: boolean): Promise<number> {
  return withHomeConnection("approvals", async ({ log, port }) => {
    const { grants, unreadable } = await givenGrants(log)
    passedOver(unreadable)
    const { grant, session } = oneGrant(grants, wanted)
    const { sessionId } = session.row
    const handle = await openSession(port, sessionId, "approvals")
    await sendCommand(handle, { type: "revoke-grant", grantId: grant.grantId })
    const { cwd } = session.status
    if (json) writeJson({ id: grant.grantId, revoked: true })
    else process.stdout.write(`revoked: ${grantSentence(grant, cwd, sessionId)}\n`)
    return exitCodes.done
  })
}

function oneGrant(grants: readonly GivenGrant[], wanted: string): GivenGrant {
  const found = findByPrefix(grants, "grt_", wanted, ({ grant }) => grant.grantId)
  if (found.kind === "one") return found.item
  if (found.kind === "none")
    throw usageFault(`no standing permission has the id '${wanted}'. 'turnhouse approvals --granted' lists them.`)
  const ids = found.items.map(({ grant }) => grant.grantId)
  throw usageFault(`'${wanted}' matches more than one permission: ${ids.join(", ")}`)
}

/** An unreadable session may hide a request: the exit code shows that. */
function passedOver(unreadable: readonly Refusal[]): number {
  for (const refusal of unreadable) printNotice(`turnhouse: ${describeRefusal(refusal)}`)
  return unreadable.length === 0 ? exitCodes.done : exitCodes.failed
}
