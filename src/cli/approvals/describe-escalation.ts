// Describes an escalation: as text, and as JSON.
import type { OpenEscalation } from "../../features/chat-service/escalation/effects/open-escalations.ts"
import { noStatus, readStatus } from "../../projection/status.ts"
import { titleOf } from "../../app/sessions/sessions.ts"
import { oneLine } from "../../contract/text/text.ts"
import { styled } from "../../app/terminal.ts"
import { moment } from "../output.ts"

const titleWidth = 60

export function describeEscalation({ row, reason, askedAt }: OpenEscalation, stream: NodeJS.WriteStream): string {
  const { sessionId, summary } = row
  const title = oneLine(titleOf(readStatus(summary) ?? noStatus), titleWidth)
  return [
    `${styled("bold", sessionId, stream)}  escalated: ${oneLine(reason, Infinity)}`,
    ...(title === "" ? [] : [`  session    ${title}`]),
    `  asked      ${moment(askedAt)}`,
    `  answer     turnhouse attach ${sessionId}  |  turnhouse settle ${sessionId}`,
  ].join("\n")
}

export function escalationAsJson({ row, reason, askedAt }: OpenEscalation) {
  const { sessionId, owner: host, summary } = row
  const status = readStatus(summary) ?? noStatus
  return { kind: "escalation", sessionId, title: titleOf(status), cwd: status.cwd, reason, askedAt, host }
}
