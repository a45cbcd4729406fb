// Identities. A session id is a lower-case UUIDv7; every other id has a prefix that says what it names, so that
// one kind cannot be passed for another: the prefix is part of its type.
import { z } from "zod"

export const SessionId = z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
export type SessionId = z.infer<typeof SessionId>

/** Ids of the WebSocket API: UUIDs without a prefix. */
export const VisitId = z.uuid()
export const InteractionId = z.uuid()
export type VisitId = z.infer<typeof VisitId>
export type InteractionId = z.infer<typeof InteractionId>

export const PromptId = z.templateLiteral(["prm_", z.string()])
export const TurnId = z.templateLiteral(["trn_", z.string()])
export const StepId = z.templateLiteral(["stp_", z.string()])
export const CallId = z.templateLiteral(["cal_", z.string()])
export const ApprovalId = z.templateLiteral(["apr_", z.string()])
export const CompactionId = z.templateLiteral(["cmp_", z.string()])
export const GrantId = z.templateLiteral(["grt_", z.string()])
export const VerificationId = z.templateLiteral(["ver_", z.string()])
/** Of a background shell. */
export const ShellId = z.templateLiteral(["bash_", z.string()])
export const PlanId = z.templateLiteral(["pln_", z.string()])
export const UndoId = z.templateLiteral(["und_", z.string()])

export type PromptId = z.infer<typeof PromptId>
export type TurnId = z.infer<typeof TurnId>
export type StepId = z.infer<typeof StepId>
export type CallId = z.infer<typeof CallId>
export type ApprovalId = z.infer<typeof ApprovalId>
export type CompactionId = z.infer<typeof CompactionId>
export type GrantId = z.infer<typeof GrantId>
export type VerificationId = z.infer<typeof VerificationId>
export type ShellId = z.infer<typeof ShellId>
export type PlanId = z.infer<typeof PlanId>
export type UndoId = z.infer<typeof UndoId>
