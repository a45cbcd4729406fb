// The messages that the model gets next.
import { z } from "zod"
import { CallId, StepId } from "../ids.ts"
import { Attachment, JsonValue } from "../values.ts"
import { list, variants } from "./list.ts"

const range = {
  seq: z.int(),
  lastSeq: z.int(),
  /** What happened in the session since, in sentences for the model: it gets them after the item. */
  notes: z.array(z.string()).optional(),
}

export const UserItem = z.object({
  kind: z.literal("user"),
  ...range,
  text: z.string(),
  attachments: list(Attachment),
  untrustedSource: z.string().optional(),
  /** What references in the text refer to, where that is unambiguous. */
  hint: z.string().optional(),
  /** Date and git state when the turn began. */
  environment: z.string().optional(),
  /** Passages of documents about it. */
  passages: list(z.object({ title: z.string(), text: z.string() })).optional(),
})
export type UserItem = z.infer<typeof UserItem>

export const AssistantPart = variants("kind", [
  z.object({ kind: z.literal("text"), text: z.string(), cutOff: z.boolean() }),
  z.object({ kind: z.literal("reasoning"), text: z.string(), providerMetadata: JsonValue.optional() }),
  z.object({
    kind: z.literal("call"),
    callId: CallId,
    tool: z.string(),
    input: JsonValue,
    providerMetadata: JsonValue.optional(),
  }),
])
export type AssistantPart = z.infer<typeof AssistantPart>

export const CallResult = z.object({
  output: z.string(),
  failed: z.boolean(),
  /** Images that follow the output. */
  images: list(Attachment).optional(),
  /** Set when the output is text from outside. */
  untrustedSource: z.string().optional(),
})
export type CallResult = z.infer<typeof CallResult>

/** One step of the model, or several that continue each other, with the results of its calls. */
export const AssistantItem = z.object({
  kind: z.literal("assistant"),
  ...range,
  stepId: StepId,
  parts: z.array(AssistantPart),
  results: z.record(CallId, CallResult),
})
export type AssistantItem = z.infer<typeof AssistantItem>

/** Stands for the events up to `lastSeq`: a compacted history, or a plan that was left. */
export const SummaryItem = z.object({
  kind: z.literal("summary"),
  ...range,
  of: z.enum(["history", "plan"]),
  text: z.string(),
  /** It covers work for prompts that follow it verbatim. */
  coversKept: z.literal(true).optional(),
})
export type SummaryItem = z.infer<typeof SummaryItem>

export const ContextItem = variants("kind", [UserItem, AssistantItem, SummaryItem])
export type ContextItem = z.infer<typeof ContextItem>
