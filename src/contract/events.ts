// The stored events of a session. The log numbers them, projections fold them, doors encode them. An event repeats the
// text of its deltas, so replay never needs a delta.
import { z } from "zod"
import { durable } from "./define.ts"
import { featureContracts, type FeatureContract } from "./features.ts"
import { CallId, CompactionId, PlanId, PromptId, SessionId, StepId, TurnId, VisitId } from "./ids.ts"
import {
  Attachment,
  Budget,
  By,
  Citation,
  Configuration,
  Finish,
  HeldLock,
  JsonValue,
  Passage,
  Preset,
  SessionLimits,
  Shortfall,
  ThinkingLevel,
  ToolClass,
  ToolLevel,
  ToolMode,
  ToolProcess,
  Usage,
  Votes,
} from "./values.ts"

const kernelEvents = [
  durable("session.created", 1, {
    sessionId: SessionId,
    origin: z.string(),
    org: z.string(),
    owner: z.string(),
    preset: Preset,
    cwd: z.string(),
    model: z.string(),
    /** Absent: the default of the provider. */
    thinking: ThinkingLevel.optional(),
    toolMode: ToolMode,
    limits: SessionLimits,
    budget: Budget,
    system: z.string().optional(),
    name: z.string().optional(),
    /** Other ids and names of the session. */
    aliases: z.array(z.string()).optional(),
    /** Configuration besides the user's and the folder's; every host that opens the session reads it. */
    configuration: Configuration.optional(),
    /** The folder whose settings apply, where the session works in a worktree created for it. */
    settingsFolder: z.string().optional(),
    /** In a cluster: label of the nodes that can run it. Absent: any node. */
    place: z.string().optional(),
    agentId: z.string().optional(),
    /** The only document sets in which it searches; absent: all, as far as rights allow. */
    documents: z.array(z.string()).optional(),
    parent: z.object({ sessionId: SessionId, rootId: SessionId, depth: z.int(), reason: z.string() }).optional(),
  }),
  durable("session.reopened", 1, { by: By }),
  durable("session.aliased", 1, { alias: z.string(), by: By }),
  /** The session has left its parent: it is the root of its own tree from here on. */
  durable("session.orphaned", 1, { by: By }),
  durable("session.renamed", 1, { name: z.string(), by: By }),
  /** The session will end when no turn runs and no prompt waits. */
  durable("session.ending", 1, { by: By }),
  /** Cancels `session.ending`. */
  durable("session.kept", 1, { by: By }),
  durable("session.ended", 1, { reason: z.string(), by: By.optional() }),

  durable("prompt.admitted", 1, {
    promptId: PromptId,
    text: z.string(),
    attachments: z.array(Attachment).optional(),
    delivery: z.enum(["next-turn", "next-boundary"]),
    by: By,
    /** Set when no person wrote the text: its source. It enters the context as fenced, untrusted text. */
    untrustedSource: z.string().optional(),
    /** For the turn that it starts, and no other. */
    model: z.string().optional(),
    skill: z.string().optional(),
    /** Files for tools, not for the model. */
    files: z.array(Attachment).optional(),
    /** The sender's name for it, returned on its connection; it has no other meaning. */
    reference: z.string().optional(),
    /** The visit that sent it. */
    visitId: VisitId.optional(),
  }),
  durable("prompt.promoted", 1, { promptId: PromptId, turnId: TurnId }),
  durable("prompt.withdrawn", 1, { promptId: PromptId, reason: z.string() }),

  durable("turn.started", 1, {
    turnId: TurnId,
    planId: PlanId.optional(),
    /** Set where the turn has another model than the session. */
    model: z.string().optional(),
    skill: z.string().optional(),
    /** Of the prompt that started it. */
    reference: z.string().optional(),
    visitId: VisitId.optional(),
  }),
  durable("turn.parked", 1, {
    turnId: TurnId,
    why: z.enum(["budget", "quota", "adoption"]),
    message: z.string(),
    until: z.int().optional(),
    /** Set where the budget is only reserved, not spent: the turn resumes when a reservation is released. */
    waitsFor: z.literal("reservation").optional(),
  }),
  durable("turn.resumed", 1, { turnId: TurnId, by: By.optional() }),
  /** A host found the turn open and without an owner, and continues it. `attempt` counts adoptions without progress. */
  durable("turn.adopted", 1, { turnId: TurnId, host: z.string(), attempt: z.int() }),
  durable("turn.ended", 1, {
    turnId: TurnId,
    reason: z.enum(["done", "interrupted", "failed", "step-limit"]),
    error: z.string().optional(),
    /** Set where the configuration is the cause: a retry cannot help. A refused prompt is not part of the context. */
    code: z.enum(["provider.unknown", "prompt.refused"]).optional(),
    /** Set where the turn is done but its last answer is incomplete. */
    finish: Shortfall.optional(),
    by: By.optional(),
  }),

  durable("step.started", 1, {
    stepId: StepId,
    turnId: TurnId,
    model: z.string(),
    /** The step whose cut-off answer is continued here. */
    continues: StepId.optional(),
  }),
  durable("text.ended", 1, {
    stepId: StepId,
    block: z.int(),
    text: z.string(),
    interrupted: z.boolean().optional(),
    /** Replies that the model suggests to the visitor. */
    suggestions: z.array(z.string()).optional(),
  }),
  durable("reasoning.ended", 1, {
    stepId: StepId,
    block: z.int(),
    text: z.string(),
    interrupted: z.boolean().optional(),
    /** What the provider needs back unchanged with the next request, such as a signature. */
    providerMetadata: JsonValue.optional(),
  }),
  durable("response.ended", 1, {
    stepId: StepId,
    model: z.string(),
    finish: Finish,
    usage: Usage.optional(),
    costUsd: z.number().optional(),
    /** A parallel request to a fast model. Its cost counts; its answer is not stored. */
    aside: z.object({ model: z.string(), usage: Usage.optional(), costUsd: z.number().optional() }).optional(),
    /** Set where several answers were requested; usage and cost are the sums over all of them. */
    votes: Votes.optional(),
    /** Date and git state that went with the turn's prompt, where they were new in this request. */
    environment: z.string().optional(),
  }),
  durable("step.ended", 1, { stepId: StepId }),

  durable("tool.called", 1, {
    stepId: StepId,
    callId: CallId,
    tool: z.string(),
    input: JsonValue,
    /** What the provider needs back unchanged with the next request. */
    providerMetadata: JsonValue.optional(),
  }),
  durable("tool.modified", 1, { callId: CallId, input: JsonValue, by: z.string() }),
  durable("tool.refused", 1, {
    callId: CallId,
    by: z.string(),
    reason: z.string(),
    /** Set where the visitor lacks this level. */
    level: ToolLevel.optional(),
  }),
  /** The intent: stored before the side effect may begin. */
  durable("tool.started", 1, {
    callId: CallId,
    class: ToolClass,
    digest: z.string(),
    idempotencyKey: z.string(),
    process: ToolProcess.optional(),
    /** Locks held while it runs. */
    locks: z.array(HeldLock).optional(),
  }),
  /** The receipt: stored after the side effect. */
  durable("tool.ended", 1, {
    callId: CallId,
    outcome: z.enum(["done", "failed", "cancelled"]),
    output: z.string(),
    details: JsonValue.optional(),
    citations: z.array(Citation).optional(),
    /** Images for the model, which follow the output. */
    images: z.array(Attachment).optional(),
    /** Set when the output is text from outside: its source. */
    untrustedSource: z.string().optional(),
  }),
  /** An intent without a receipt that must not be repeated: its outcome is unknown. */
  durable("tool.unsettled", 1, { callId: CallId, evidence: z.string() }),

  durable("compaction.started", 1, {
    compactionId: CompactionId,
    why: z.enum(["asked", "context-full"]),
    /** What the summary must keep above all, in the user's words. */
    focus: z.string().optional(),
  }),
  durable("compaction.failed", 1, { compactionId: CompactionId, error: z.string() }),
  durable("context.compacted", 1, {
    compactionId: CompactionId,
    summary: z.string(),
    /** The newest event that the summary covers. */
    upToSeq: z.int(),
    /** Older prompts that stay verbatim: the events by which they entered the context. */
    keeps: z.array(z.int()).optional(),
    usage: Usage.optional(),
    costUsd: z.number().optional(),
  }),
  /** Passages found for a turn before its first model call. */
  durable("context.retrieved", 1, {
    turnId: TurnId,
    query: z.string(),
    passages: z.array(Passage),
  }),
  durable("context.cleared", 1, { by: By }),

  durable("model.selected", 1, { model: z.string(), by: By }),
  /** The provider of `from` failed: the rest of the turn runs on `model`. */
  durable("model.replaced", 1, {
    turnId: TurnId,
    stepId: StepId,
    from: z.string(),
    model: z.string(),
    reason: z.string(),
  }),
  durable("tools.selected", 1, { mode: ToolMode, by: By }),
] as const

export const sessionEvents = [
  ...kernelEvents,
  ...featureContracts.flatMap<FeatureContract["events"][number]>((contract) => contract.events),
]
export type SessionEvent = z.infer<(typeof sessionEvents)[number]>
export type EventType = SessionEvent["type"]
export type EventOf<Type extends EventType> = Extract<SessionEvent, { type: Type }>

/** An event as the log returns it: its number in the session and when it was committed (epoch milliseconds). */
export interface Recorded<Event extends SessionEvent = SessionEvent> {
  readonly seq: number
  readonly at: number
  readonly event: Event
}
