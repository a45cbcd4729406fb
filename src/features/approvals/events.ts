// Requests for approval, their answers, and permissions that are given in advance.
import { z } from "zod"
import { command, durable, refusal } from "../../contract/define.ts"
import { ApprovalId, CallId, GrantId } from "../../contract/ids.ts"
import { limits } from "../../contract/limits.ts"
import {
  AskCause,
  By,
  Connection,
  FileChange,
  Grant,
  JsonValue,
  PolicyFlag,
  Question,
  QuestionAnswer,
  ServerAsk,
  Usage,
} from "../../contract/values.ts"

const ApprovalRequested = durable("approval.requested", 1, {
  approvalId: ApprovalId,
  callId: CallId,
  tool: z.string(),
  /** SHA-256 over session, call, tool and exact arguments: what was approved is what runs. */
  digest: z.string(),
  reason: z.string(),
  /** Of the tool's description, where that can change: permissions that are remembered hold for it only. */
  revision: z.string().optional(),
  audience: z.enum(["driver", "approver"]),
  /** Absent in older logs; then only a person answers. */
  causes: z.array(AskCause).optional(),
  /** What the call would do to files, as they were when it was asked. Absent where that is not known. */
  changes: z.array(FileChange).optional(),
  /** The call asks a person: an answer to these is its result, and nothing runs. With `server`, it goes to the server. */
  questions: z.array(Question).optional(),
  /** The call runs and wants to connect there: only the connection waits for the answer. The tool is `network` then. */
  connection: Connection.optional(),
  /** The call runs and its MCP server asks: only the server waits. The tool is `elicitation` or `sampling` then. */
  server: ServerAsk.optional(),
  expiresAt: z.int().optional(),
})
const ApprovalDecided = durable("approval.decided", 1, {
  approvalId: ApprovalId,
  outcome: z.enum(["approved", "denied", "expired", "void"]),
  by: By.optional(),
  note: z.string().optional(),
  /** To the questions of the request, in one line. */
  answer: z.string().optional(),
  /** The same, one per question, where they are for an MCP server. */
  answers: z.array(QuestionAnswer).optional(),
})
/** The session's model was asked for an MCP server. Without `usage` it was cut off: what it cost is not known. */
const SamplingEnded = durable("sampling.ended", 1, {
  callId: CallId,
  server: z.string(),
  model: z.string(),
  usage: Usage.optional(),
  costUsd: z.number().optional(),
})
/** The approval of a call that was changed when it was approved holds for its new arguments. */
const ApprovalBound = durable("approval.bound", 1, { approvalId: ApprovalId, callId: CallId, digest: z.string() })
const PolicyGranted = durable("policy.granted", 1, { ...Grant.shape, by: By })
const PolicyRevoked = durable("policy.revoked", 1, { grantId: GrantId, by: By })

const Approve = command("approve", {
  approvalId: ApprovalId,
  approved: z.boolean(),
  /** Of the call that the client showed; an answer for other arguments is refused. */
  digest: z.string().optional(),
  note: z.string().optional(),
  /** Runs the call with these arguments instead. Only with `approved`. */
  input: JsonValue.optional(),
  /** To the questions of the request, as a person types it: numbers, labels or own words (contract/rules/questions.ts). */
  answer: z.string().max(limits.answerLength).optional(),
  /** Also grants such calls in advance. */
  remember: Grant.pick({ pattern: true, scope: true }).optional(),
  /** Flags of a command line that answer in place of the user. */
  policy: z.array(PolicyFlag).min(1).max(4).optional(),
})
const RevokeGrant = command("revoke-grant", { grantId: GrantId })

export const approvalsContract = {
  events: [ApprovalRequested, ApprovalDecided, ApprovalBound, SamplingEnded, PolicyGranted, PolicyRevoked],
  commands: [Approve, RevokeGrant],
  refusals: [
    refusal("approval.unknown", { approvalId: ApprovalId }),
    refusal("approval.settled", {
      approvalId: ApprovalId,
      outcome: z.enum(["approved", "denied", "expired", "void"]),
      by: By.optional(),
    }),
    refusal("approval.changed", { approvalId: ApprovalId }),
    refusal("approval.own", { approvalId: ApprovalId }),
    refusal("approval.person", { approvalId: ApprovalId }),
    /** The answer does not fit the questions of the request, or the request has none. */
    refusal("answer.invalid", { approvalId: ApprovalId, message: z.string() }),
    refusal("grant.unknown", { grantId: GrantId }),
  ],
  deltas: [],
} as const
