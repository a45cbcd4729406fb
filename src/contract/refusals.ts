// Expected "no" answers as values with a code. Each door maps them in its error table; `describeRefusal`
// (describe-refusal.ts) has the text for people.
import { z } from "zod"
import { ApprovalId, GrantId, InteractionId, PromptId, SessionId } from "./ids.ts"
import { By, FieldError, Role } from "./values.ts"

function refusal<Code extends string, Shape extends z.ZodRawShape>(code: Code, shape: Shape) {
  return z.object({ code: z.literal(code), ...shape }).meta({ title: code })
}

export const Refusal = z.discriminatedUnion("code", [
  refusal("session.busy", {}),
  refusal("session.unknown", { wanted: z.string() }),
  refusal("session.ambiguous", { wanted: z.string(), candidates: z.array(SessionId) }),
  refusal("session.owned", { sessionId: SessionId, owner: z.string(), pid: z.int() }),
  refusal("session.damaged", { sessionId: SessionId, seq: z.int(), what: z.string() }),
  refusal("session.newer", { sessionId: SessionId, seq: z.int(), type: z.string(), version: z.int(), known: z.int() }),
  refusal("session.exists", { sessionId: SessionId }),
  refusal("prompt.conflict", { promptId: PromptId }),
  refusal("prompt.empty", {}),
  refusal("prompt.too-large", { bytes: z.int(), limit: z.int() }),
  refusal("prompt.repeated", { promptId: PromptId, seq: z.int() }),
  refusal("prompt.unknown", { promptId: PromptId }),
  refusal("queue.full", { limit: z.int() }),
  refusal("approval.unknown", { approvalId: ApprovalId }),
  refusal("approval.settled", {
    approvalId: ApprovalId,
    outcome: z.enum(["approved", "denied", "expired", "void"]),
    by: By.optional(),
  }),
  refusal("approval.changed", { approvalId: ApprovalId }),
  refusal("approval.own", { approvalId: ApprovalId }),
  refusal("approval.person", { approvalId: ApprovalId }),
  refusal("interaction.unknown", { interactionId: InteractionId }),
  refusal("interaction.invalid", { interactionId: InteractionId, errors: z.array(FieldError).min(1) }),
  refusal("verification.none", {}),
  refusal("verification.failed", {
    why: z.enum(["wrong-code", "too-many-attempts", "expired"]),
    attemptsLeft: z.int().min(0),
  }),
  refusal("escalation.none", {}),
  refusal("role.missing", { role: Role }),
  refusal("key.bad", {}),
  refusal("key.narrow", { what: z.string() }),
  refusal("grant.unknown", { grantId: GrantId }),
  refusal("plan.already", {}),
  refusal("plan.not-in", {}),
  refusal("plan.not-here", {}),
  refusal("context.nothing-there", { toSeq: z.int() }),
  refusal("context.no-turns", { turns: z.int() }),
  refusal("turn.not-parked", {}),
  refusal("task.unknown", { task: z.int() }),
  refusal("task.circular", { task: z.int(), dependsOn: z.int() }),
  refusal("tasks.too-many", { limit: z.int() }),
  refusal("marks.too-many", { limit: z.int() }),
  refusal("command.unknown", { name: z.string() }),
  refusal("command.failed", { name: z.string(), what: z.string() }),
  refusal("child.too-deep", { limit: z.int() }),
  refusal("child.too-many", { limit: z.int() }),
  refusal("child.exists", { childId: SessionId }),
  refusal("locks.unavailable", { what: z.string() }),
  refusal("report.stale", {}),
  refusal("frame.bad", { what: z.string() }),
  refusal("agents.too-many", { limit: z.int() }),
  refusal("config.bad", { what: z.string() }),
  refusal("folder.missing", { path: z.string() }),
  refusal("host.gone", {}),
  refusal("host.leaving", {}),
  refusal("host.unreachable", { what: z.string() }),
  refusal("host.exists", { role: z.string(), hostId: z.string(), pid: z.int() }),
  refusal("log.fenced", { sessionId: SessionId }),
  refusal("log.conflict", { sessionId: SessionId, expectedSeq: z.int(), seq: z.int() }),
  refusal("log.unavailable", { what: z.string() }),
])
export type Refusal = z.infer<typeof Refusal>
