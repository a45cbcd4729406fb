// Approval requests, escalations and standing permissions: as text, and as JSON.
import type { StoredGrant, PendingRequest } from "../../app/sessions/approvals.ts"
import { titleOf, type ListedSession } from "../../app/sessions/sessions.ts"
import { styled } from "../../app/terminal.ts"
import { networkTool } from "../../contract/rules/network-rules.ts"
import { howToType, questionsText } from "../../contract/rules/questions.ts"
import { oneLine, printable } from "../../contract/text/text.ts"
import type { Grant } from "../../contract/values.ts"
import { noStatus, readStatus } from "../../projection/status.ts"
import { indented } from "../output.ts"
import { detailsText } from "../../display/call-preview.ts"
import { moment, span } from "../../display/format.ts"

const titleWidth = 60

export function describeRequest(one: PendingRequest, now: number, stream: NodeJS.WriteStream): string {
  const { request, row, askedAt, input } = one
  const status = readStatus(row.summary) ?? noStatus
  const title = oneLine(titleOf(status), titleWidth)
  return [
    `${styled("bold", request.approvalId, stream)}  ${oneLine(request.tool, titleWidth)}`,
    `  session    ${row.sessionId}${title === "" ? "" : `  ${title}`}`,
    `  folder     ${oneLine(status.cwd, Infinity)}`,
    `  requested  ${moment(askedAt)}`,
    `  reason     ${oneLine(request.reason, Infinity)}`,
    `  deadline   ${deadline(request.expiresAt, now)}`,
    ...(request.questions === undefined
      ? ["  arguments", indented(detailsText({ tool: request.tool, input, changes: request.changes }), 4)]
      : ["  question", indented(printable(questionsText(request.questions)), 4)]),
  ].join("\n")
}

/** The commands that answer it. */
export function howToAnswer({ request: { approvalId, questions } }: PendingRequest): string {
  if (questions !== undefined)
    return `  answer     turnhouse approve ${approvalId} --answer TEXT  (${howToType(questions)})  |  turnhouse approve ${approvalId} --deny`
  return `  answer     turnhouse approve ${approvalId}  |  turnhouse approve ${approvalId} --deny`
}

export function requestAsJson({ request, row, askedAt, input }: PendingRequest) {
  const { approvalId: id, tool, reason, audience, expiresAt, digest, callId, changes, questions, server } = request
  const status = readStatus(row.summary) ?? noStatus
  const { sessionId, owner: host } = row
  return {
    kind: questions === undefined ? "approval" : "question",
    id,
    sessionId,
    title: titleOf(status),
    cwd: status.cwd,
    tool,
    input,
    changes,
    reason,
    audience,
    askedAt,
    expiresAt,
    callId,
    digest,
    host,
    questions,
    server,
  }
}

function deadline(expiresAt: number | undefined, now: number): string {
  if (expiresAt === undefined) return "none"
  if (expiresAt <= now) return `${moment(expiresAt)}, expired: it can no longer be answered`
  return `${moment(expiresAt)}, in ${span(expiresAt - now)}`
}

export interface Escalation extends ListedSession {
  readonly escalated: NonNullable<ListedSession["status"]["escalated"]>
}

/** Oldest first. */
export function escalationsOf(sessions: readonly ListedSession[]): readonly Escalation[] {
  const open = sessions.flatMap((session) => {
    const { escalated } = session.status
    return escalated === undefined ? [] : [{ ...session, escalated }]
  })
  return open.toSorted((one, other) => one.escalated.at - other.escalated.at)
}

export function describeEscalation({ row: { sessionId }, status, escalated }: Escalation): string {
  const title = oneLine(titleOf(status), titleWidth)
  return [
    `${styled("bold", sessionId, process.stdout)}  escalated: ${oneLine(escalated.reason, Infinity)}`,
    ...(title === "" ? [] : [`  session    ${title}`]),
    `  raised     ${moment(escalated.at)}`,
    `  answer     turnhouse attach ${sessionId}  |  turnhouse settle ${sessionId}`,
  ].join("\n")
}

export function escalationAsJson({ row, status, escalated: { reason, at: askedAt } }: Escalation) {
  const { sessionId, owner: host } = row
  return { kind: "escalation", sessionId, title: titleOf(status), cwd: status.cwd, reason, askedAt, host }
}

export function grantSentence(
  { tool, pattern, scope }: Omit<Grant, "grantId">,
  cwd: string,
  sessionId: string,
): string {
  const where = scope === "folder" ? `in every session in ${cwd}` : `in session ${sessionId}`
  if (tool === networkTool) return oneLine(`commands connect to ${pattern} without approval ${where}`, Infinity)
  return oneLine(`${tool} runs without approval ${where} if its main argument matches '${pattern}'`, Infinity)
}

export function grantAsJson({ grant, session }: StoredGrant) {
  const { grantId: id, ...rest } = grant
  return { id, ...rest, sessionId: session.row.sessionId, cwd: session.status.cwd }
}
