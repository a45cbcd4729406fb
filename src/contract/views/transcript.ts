// The items of a transcript: what people see of a session.
import { z } from "zod"
import { ApprovalId, CallId, InteractionId, PlanId, PromptId, StepId, TurnId } from "../ids.ts"
import { Attachment, By, Citation, Connection, InteractionKind, JsonValue, Question, ServerAsk } from "../values.ts"
import { list, variants } from "./list.ts"

const entry = {
  seq: z.int(),
  at: z.number(),
  /** When a prompt was delivered, or an answer was complete. In the order of the items. */
  settledAt: z.number().optional(),
  /** The plan this belongs to; absent in the main conversation. */
  planId: PlanId.optional(),
}

export const UserEntry = z.object({
  kind: z.literal("user"),
  ...entry,
  promptId: PromptId,
  text: z.string(),
  attachments: list(Attachment),
  by: By,
  /** Set when no person wrote it: its source. */
  untrustedSource: z.string().optional(),
  /** The turn that it was delivered to; absent in answers of older releases. */
  turnId: TurnId.optional(),
  state: z.enum(["waiting", "promoted"]),
})
export type UserEntry = z.infer<typeof UserEntry>

export const AssistantEntry = z.object({
  kind: z.literal("assistant"),
  ...entry,
  stepId: StepId,
  text: z.string(),
  reasoning: z.string(),
  /** Cut off by an interrupt, a failure or a crash. */
  cutOff: z.boolean(),
  /** Suggested replies of the visitor. */
  suggestions: list(z.string()).optional(),
})
export type AssistantEntry = z.infer<typeof AssistantEntry>

export const ApprovalEntry = z.object({
  id: ApprovalId,
  reason: z.string(),
  outcome: z.enum(["approved", "denied", "expired", "void"]).optional(),
  by: By.optional(),
  decidedAt: z.number().optional(),
  /** Set where an answer to these is wanted, not an approval. */
  questions: list(Question).optional(),
  /** Set where it is about a connection of the running call. */
  connection: Connection.optional(),
  /** Set where an MCP server of the running call asks. */
  server: ServerAsk.optional(),
  answer: z.string().optional(),
})
export type ApprovalEntry = z.infer<typeof ApprovalEntry>

export const InteractionEntry = z.object({
  id: InteractionId,
  kind: InteractionKind,
  spec: JsonValue,
  reason: z.string(),
  expiresAt: z.number().optional(),
  outcome: z.enum(["submitted", "declined", "expired", "void"]).optional(),
  values: JsonValue.optional(),
})
export type InteractionEntry = z.infer<typeof InteractionEntry>

export const CallEntry = z.object({
  kind: z.literal("call"),
  ...entry,
  callId: CallId,
  tool: z.string(),
  input: JsonValue,
  state: z.enum(["called", "asked", "approved", "running", "done", "failed", "cancelled", "refused", "unsettled"]),
  output: z.string().optional(),
  /** When it began to run and when it ended; absent in answers of older releases. */
  startedAt: z.number().optional(),
  endedAt: z.number().optional(),
  /** What the tool reports besides its output, such as the change of a file. */
  details: JsonValue.optional(),
  /** Images of the result, without their bytes: those are in the event `seq`. */
  images: z.object({ seq: z.int(), files: list(Attachment.pick({ name: true, mediaType: true })) }).optional(),
  approval: ApprovalEntry.optional(),
  /** The request to the visitor, where the call is one. */
  interaction: InteractionEntry.optional(),
  /** Why the agent asks for a person. */
  escalation: z.string().optional(),
  /** The passages of documents that it found. */
  citations: list(Citation).optional(),
  /** An instruction to the visitor's client. */
  directive: JsonValue.optional(),
})
export type CallEntry = z.infer<typeof CallEntry>

export const NoticeEntry = z.object({
  kind: z.literal("notice"),
  ...entry,
  tone: z.enum(["info", "warning"]),
  text: z.string(),
  /** How the turn ended, where the notice is about that. */
  end: z.enum(["interrupted", "failed", "step-limit"]).optional(),
})
export type NoticeEntry = z.infer<typeof NoticeEntry>

export const TranscriptItem = variants("kind", [UserEntry, AssistantEntry, CallEntry, NoticeEntry])
export type TranscriptItem = z.infer<typeof TranscriptItem>

/** A range of whole turns. */
export const TranscriptPage = z.object({
  /** The cursor to watch from: everything up to here is in it. */
  seq: z.int(),
  /** The end of the turn before this page, from which earlier turns can be read; 0 where there is none. */
  start: z.int().default(0),
  items: list(TranscriptItem),
  /** Whether there are earlier turns. */
  earlier: z.boolean(),
})
export type TranscriptPage = z.infer<typeof TranscriptPage>
