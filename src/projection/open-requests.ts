// Open requests to people in a session and its descendants: approvals, oldest first, and the interaction and one-time
// code that the visitor is asked for. A pure fold; an event that changes nothing returns the same value.
import type { EventOf, Recorded } from "../contract/events.ts"
import type { ApprovalId, CallId, SessionId, VerificationId } from "../contract/ids.ts"
import { requestSubject } from "../contract/rules/call-requests.ts"
import type { AskCause, FileChange, JsonValue, Question, ServerAsk } from "../contract/values.ts"
import type { TranscriptItem } from "./transcript.ts"

export interface OpenApproval {
  readonly approvalId: ApprovalId
  /** The session that asks: this one or a descendant. */
  readonly sessionId: SessionId
  /** Absent for requests of descendants. */
  readonly callId?: CallId | undefined
  readonly tool: string
  /** Exactly what would run. */
  readonly input: JsonValue
  readonly reason: string
  /** Absent where it was read from a transcript. */
  readonly digest?: string | undefined
  readonly audience?: "driver" | "approver" | undefined
  /** Absent for requests of older releases. */
  readonly causes?: readonly AskCause[] | undefined
  /** What the call would do to files; absent where that is not known. */
  readonly changes?: readonly FileChange[] | undefined
  /** Set where an answer to these is wanted, not an approval. */
  readonly questions?: readonly Question[] | undefined
  /** Set where an MCP server of a running call asks. */
  readonly server?: ServerAsk | undefined
  readonly expiresAt?: number | undefined
  /** The event that asked, and when it was stored. */
  readonly seq: number
  readonly at: number
}

export type OpenInteraction = Pick<
  EventOf<"interaction.requested">,
  "interactionId" | "callId" | "kind" | "spec" | "reason"
>

type OpenVerification = Pick<EventOf<"verification.requested">, "verificationId" | "callId" | "tool" | "channels">

export interface OpenRequests {
  readonly approvals: readonly OpenApproval[]
  readonly interaction?: OpenInteraction | undefined
  readonly verification?: OpenVerification | undefined
}

export const noRequests: OpenRequests = { approvals: [] }

/** `inputOf` gives the arguments of a call of this session: the request itself does not repeat them. */
export function foldRequests(
  open: OpenRequests,
  recorded: Recorded,
  sessionId: SessionId,
  inputOf: (callId: CallId) => JsonValue | undefined = () => undefined,
): OpenRequests {
  const { event, seq, at } = recorded
  switch (event.type) {
    case "approval.requested": {
      const { callId } = event
      const input = requestSubject(event)?.input ?? inputOf(callId) ?? null
      return add(open, { ...approvalOf(event), sessionId, callId, input, seq, at })
    }
    case "child.asked":
      return add(open, { ...approvalOf(event), sessionId: event.sessionId, input: event.input, seq, at })
    case "approval.decided":
    case "child.answered":
      return { ...open, approvals: open.approvals.filter(({ approvalId }) => approvalId !== event.approvalId) }
    case "interaction.requested": {
      const { interactionId, callId, kind, spec, reason } = event
      return { ...open, interaction: { interactionId, callId, kind, spec, reason } }
    }
    case "interaction.answered":
      return { ...open, interaction: undefined }
    case "verification.requested": {
      const { verificationId, callId, tool, channels } = event
      return channels.length === 0 ? open : { ...open, verification: { verificationId, callId, tool, channels } }
    }
    case "visit.verified":
      return withoutVerification(open, event.verificationId)
    case "verification.failed":
      return event.why === "wrong-code" ? open : withoutVerification(open, event.verificationId)
    case "turn.ended":
      return open.interaction === undefined && open.verification === undefined ? open : { approvals: open.approvals }
    default:
      return open // neither a request nor an answer
  }
}

/** The approvals that a transcript shows as open: the start for a client that joins later. */
export function requestsIn(items: readonly TranscriptItem[], sessionId: SessionId): OpenRequests {
  const approvals = items.flatMap((item): OpenApproval[] => {
    if (item.kind !== "call" || item.approval === undefined || item.approval.outcome !== undefined) return []
    const { callId, approval, seq, at } = item
    const { id: approvalId, reason, questions, server } = approval
    const { tool, input } = requestSubject(approval) ?? item
    return [{ approvalId, sessionId, callId, tool, input, reason, questions, server, seq, at }]
  })
  return { approvals }
}

export function findApproval(open: OpenRequests, id: ApprovalId): OpenApproval | undefined {
  return open.approvals.find(({ approvalId }) => approvalId === id)
}

function approvalOf(event: EventOf<"approval.requested" | "child.asked">) {
  const { approvalId, tool, reason, digest, audience, causes, changes, questions, server, expiresAt } = event
  return { approvalId, tool, reason, digest, audience, causes, changes, questions, server, expiresAt }
}

function add(open: OpenRequests, approval: OpenApproval): OpenRequests {
  const others = open.approvals.filter(({ approvalId }) => approvalId !== approval.approvalId)
  return { ...open, approvals: [...others, approval] }
}

function withoutVerification(open: OpenRequests, verificationId: VerificationId): OpenRequests {
  return open.verification?.verificationId === verificationId ? { ...open, verification: undefined } : open
}
