// Describes an approval request: as text, and as JSON.
import type { OpenRequest } from "../../host/queries/open-requests.ts"
import { noStatus, readStatus } from "../../projection/status.ts"
import { exactArguments, indented, moment, span } from "../output.ts"
import { titleOf } from "../../app/sessions/sessions.ts"
import { oneLine } from "../../contract/text/text.ts"
import { styled } from "../../app/terminal.ts"

const titleWidth = 60

export function describeRequest(one: OpenRequest, now: number, stream: NodeJS.WriteStream): string {
  const { request, row, askedAt, input } = one
  const status = readStatus(row.summary) ?? noStatus
  const title = oneLine(titleOf(status), titleWidth)
  return [
    `${styled("bold", request.approvalId, stream)}  ${oneLine(request.tool, titleWidth)}`,
    `  session    ${row.sessionId}${title === "" ? "" : `  ${title}`}`,
    `  folder     ${oneLine(status.cwd, Infinity)}`,
    `  asked      ${moment(askedAt)}`,
    `  reason     ${oneLine(request.reason, Infinity)}`,
    `  deadline   ${deadline(request.expiresAt, now)}`,
    "  arguments",
    indented(exactArguments(input), 4),
  ].join("\n")
}

/** The commands that answer it. */
export function howToAnswer({ request: { approvalId } }: OpenRequest): string {
  return `  answer     turnhouse approve ${approvalId}  |  turnhouse approve ${approvalId} --deny`
}

export function requestAsJson({ request, row, askedAt, input }: OpenRequest) {
  const { approvalId: id, tool, reason, audience, expiresAt, digest, callId } = request
  const status = readStatus(row.summary) ?? noStatus
  const { sessionId, owner: host } = row
  return {
    kind: "approval",
    id,
    sessionId,
    title: titleOf(status),
    cwd: status.cwd,
    tool,
    input,
    reason,
    audience,
    askedAt,
    expiresAt,
    callId,
    digest,
    host,
  }
}

function deadline(expiresAt: number | undefined, now: number): string {
  if (expiresAt === undefined) return "none"
  if (expiresAt <= now) return `${moment(expiresAt)}, expired: it can no longer be answered`
  return `${moment(expiresAt)}, in ${span(expiresAt - now)}`
}
