// Every fact a session can store, declared once. The log numbers them per session; projections fold them; doors tell
// them. An event repeats everything its deltas said, so replay never needs a delta.
import { z } from "zod"
import { durable } from "./define.ts"
import {
  ApprovalId,
  CallId,
  CompactionId,
  GrantId,
  InteractionId,
  PlanId,
  PromptId,
  SessionId,
  StepId,
  TurnId,
  VerificationId,
  VisitId,
} from "./ids.ts"
import {
  AskCause,
  Attachment,
  Budget,
  By,
  Citation,
  CodeChannel,
  Configuration,
  Contact,
  Finish,
  Grant,
  HeldLock,
  InteractionKind,
  JsonValue,
  ModelUse,
  Passage,
  Preset,
  SessionLimits,
  Shortfall,
  TaskPriority,
  TaskStatus,
  ToolClass,
  ToolLevel,
  ToolMode,
  ToolProcess,
  Usage,
  Votes,
  Voting,
} from "./values.ts"

const SessionCreated = durable("session.created", 1, {
  sessionId: SessionId,
  origin: z.string(),
  org: z.string(),
  owner: z.string(),
  preset: Preset,
  cwd: z.string(),
  model: z.string(),
  toolMode: ToolMode,
  limits: SessionLimits,
  budget: Budget,
  system: z.string().optional(),
  name: z.string().optional(),
  /** Ids and names by which others know it. */
  aliases: z.array(z.string()).optional(),
  /** Configuration besides the user's and the folder's own; every host that opens the session reads it. */
  configuration: Configuration.optional(),
  /** The folder whose settings hold, where it works in another one that was made for it. */
  settingsFolder: z.string().optional(),
  agentId: z.string().optional(),
  parent: z.object({ sessionId: SessionId, rootId: SessionId, depth: z.int(), reason: z.string() }).optional(),
})
const SessionReopened = durable("session.reopened", 1, { by: By })
const SessionAliased = durable("session.aliased", 1, { alias: z.string(), by: By })
/** Its parent has let it go: from here on it is the root of its own tree. */
const SessionOrphaned = durable("session.orphaned", 1, { by: By })
/** Put to rest on purpose, in the middle of a turn perhaps: no host goes on with it until it is woken. */
const SessionHibernated = durable("session.hibernated", 1, { by: By })
const SessionWoken = durable("session.woken", 1, { by: By })
const SessionRenamed = durable("session.renamed", 1, { name: z.string(), by: By })
/** The session is to end as soon as nothing runs and nothing waits. */
const SessionEnding = durable("session.ending", 1, { by: By })
/** It is not to end after all. */
const SessionKept = durable("session.kept", 1, { by: By })
const SessionEnded = durable("session.ended", 1, { reason: z.string(), by: By.optional() })

/** Somebody came in through the network door. What a visit says of its client holds for the session until the next. */
const VisitOpened = durable("visit.opened", 1, {
  visitId: VisitId,
  agentId: z.string(),
  principal: z.string(),
  contact: Contact,
  /** What the client can show; absent where it says nothing, and then what the last one said counts. */
  supports: z.array(z.string()).optional(),
  participants: z.object({ user: z.uuid(), agent: z.uuid() }),
  /** To which the visitor belongs: they decide about documents. */
  groups: z.array(z.string()).optional(),
  /** A digest of the visitor's account or address: one-time codes are counted by it. */
  caller: z.string().optional(),
})
/** A visitor has proved that a contact is theirs. */
const VisitVerified = durable("visit.verified", 1, {
  visitId: VisitId,
  verificationId: VerificationId,
  contact: Contact.pick({ email: true, phone: true }),
})

const PromptAdmitted = durable("prompt.admitted", 1, {
  promptId: PromptId,
  text: z.string(),
  attachments: z.array(Attachment).optional(),
  delivery: z.enum(["next-turn", "next-boundary"]),
  by: By,
  /** Set when no person wrote it: where the text came from. It enters the context as fenced, untrusted text. */
  untrustedSource: z.string().optional(),
  /** For the turn that it begins, and for no other. */
  model: z.string().optional(),
  skill: z.string().optional(),
  /** Files that are for tools and not for the model. */
  files: z.array(Attachment).optional(),
  /** What its sender calls it: given back on their wire, and of no other meaning. */
  reference: z.string().optional(),
  /** The visit in which it was said. */
  visitId: VisitId.optional(),
})
const PromptPromoted = durable("prompt.promoted", 1, { promptId: PromptId, turnId: TurnId })
const PromptWithdrawn = durable("prompt.withdrawn", 1, { promptId: PromptId, reason: z.string() })

const TurnStarted = durable("turn.started", 1, {
  turnId: TurnId,
  planId: PlanId.optional(),
  /** Where the turn has another model than the session. */
  model: z.string().optional(),
  skill: z.string().optional(),
  /** Of the prompt that began it. */
  reference: z.string().optional(),
  visitId: VisitId.optional(),
})
const TurnParked = durable("turn.parked", 1, {
  turnId: TurnId,
  why: z.enum(["budget", "quota", "adoption"]),
  message: z.string(),
  until: z.int().optional(),
  /** Set where the budget is only reserved, not spent: the turn resumes when a reservation is released. */
  waitsFor: z.literal("reservation").optional(),
})
const TurnResumed = durable("turn.resumed", 1, { turnId: TurnId, by: By.optional() })
/** A host found the turn open and without an owner, and goes on with it. `attempt` counts those without progress. */
const TurnAdopted = durable("turn.adopted", 1, { turnId: TurnId, host: z.string(), attempt: z.int() })
const TurnEnded = durable("turn.ended", 1, {
  turnId: TurnId,
  reason: z.enum(["done", "interrupted", "failed", "step-limit"]),
  error: z.string().optional(),
  /** Set where the configuration is what failed, and repeating the turn cannot help before it is changed. */
  code: z.enum(["provider.unknown"]).optional(),
  /** Set where the turn is done, but its last answer is not a whole one. */
  finish: Shortfall.optional(),
  by: By.optional(),
})

const StepStarted = durable("step.started", 1, {
  stepId: StepId,
  turnId: TurnId,
  model: z.string(),
  /** The step whose answer was cut off by a crash and is continued here. */
  continues: StepId.optional(),
})
const TextEnded = durable("text.ended", 1, {
  stepId: StepId,
  block: z.int(),
  text: z.string(),
  interrupted: z.boolean().optional(),
  /** What the visitor might say next, in the model's opinion. */
  suggestions: z.array(z.string()).optional(),
})
const ReasoningEnded = durable("reasoning.ended", 1, {
  stepId: StepId,
  block: z.int(),
  text: z.string(),
  interrupted: z.boolean().optional(),
  /** What the provider wants back unchanged with the next request (a signature, for example). */
  providerMetadata: JsonValue.optional(),
})
const ResponseEnded = durable("response.ended", 1, {
  stepId: StepId,
  model: z.string(),
  finish: Finish,
  usage: Usage.optional(),
  costUsd: z.number().optional(),
  /** What a quick model was asked meanwhile. It costs as well; what it said is not kept. */
  aside: z.object({ model: z.string(), usage: Usage.optional(), costUsd: z.number().optional() }).optional(),
  /** Set where several answers were asked for; usage and cost are those of all of them. */
  votes: Votes.optional(),
})
const StepEnded = durable("step.ended", 1, { stepId: StepId })

const ToolCalled = durable("tool.called", 1, {
  stepId: StepId,
  callId: CallId,
  tool: z.string(),
  input: JsonValue,
  /** What the provider wants back unchanged with the next request. */
  providerMetadata: JsonValue.optional(),
})
const ToolModified = durable("tool.modified", 1, { callId: CallId, input: JsonValue, by: z.string() })
const ToolRefused = durable("tool.refused", 1, {
  callId: CallId,
  by: z.string(),
  reason: z.string(),
  /** Set where it was refused because of what the visitor is not. */
  level: ToolLevel.optional(),
})
/** The intent: stored before the side effect may begin. */
const ToolStarted = durable("tool.started", 1, {
  callId: CallId,
  class: ToolClass,
  digest: z.string(),
  idempotencyKey: z.string(),
  process: ToolProcess.optional(),
  /** What it holds while it runs. */
  locks: z.array(HeldLock).optional(),
})
/** The receipt: stored after the side effect. */
const ToolEnded = durable("tool.ended", 1, {
  callId: CallId,
  outcome: z.enum(["done", "failed", "cancelled"]),
  output: z.string(),
  details: JsonValue.optional(),
  citations: z.array(Citation).optional(),
  /** Set when the output is text from outside: where it came from. */
  untrustedSource: z.string().optional(),
})
/** An intent without a receipt that must not be repeated: the outcome is unknown. */
const ToolUnsettled = durable("tool.unsettled", 1, { callId: CallId, evidence: z.string() })

const ApprovalRequested = durable("approval.requested", 1, {
  approvalId: ApprovalId,
  callId: CallId,
  tool: z.string(),
  /** SHA-256 over session, call, tool and exact arguments: what was approved is what runs. */
  digest: z.string(),
  reason: z.string(),
  audience: z.enum(["driver", "approver"]),
  /** Absent in older logs; then only a person answers. */
  causes: z.array(AskCause).optional(),
  expiresAt: z.int().optional(),
})
const ApprovalDecided = durable("approval.decided", 1, {
  approvalId: ApprovalId,
  outcome: z.enum(["approved", "denied", "expired", "void"]),
  by: By.optional(),
  note: z.string().optional(),
})

/** A call waits for what only the visitor can say. */
const InteractionRequested = durable("interaction.requested", 1, {
  interactionId: InteractionId,
  callId: CallId,
  kind: InteractionKind,
  spec: JsonValue,
  reason: z.string(),
  expiresAt: z.int().optional(),
})
const InteractionAnswered = durable("interaction.answered", 1, {
  interactionId: InteractionId,
  outcome: z.enum(["submitted", "declined", "expired", "void"]),
  values: JsonValue.optional(),
  by: By.optional(),
})

/** A call needs a visitor who has proved who they are. */
const VerificationRequested = durable("verification.requested", 1, {
  verificationId: VerificationId,
  visitId: VisitId,
  callId: CallId,
  tool: z.string(),
  /** How the visitor can be reached, the preferred way first; empty where there is none. */
  channels: z.array(CodeChannel),
  /** Set where the call waits for the code; otherwise it is refused and the visitor asks again afterwards. */
  parked: z.boolean().optional(),
  expiresAt: z.int().optional(),
})
/** A code was made and counts from here on. Of the code itself only a digest is kept, under a key outside the log. */
const VerificationPrepared = durable("verification.prepared", 1, {
  verificationId: VerificationId,
  contact: Contact.pick({ email: true, phone: true }),
  channel: CodeChannel,
  /** As it is shown: most of it hidden. */
  destination: z.string(),
  digest: z.string(),
  attemptsLeft: z.int().min(0),
  expiresAt: z.int(),
})
/** The code has left the house, or may have when its host was killed. */
const VerificationSent = durable("verification.sent", 1, {
  verificationId: VerificationId,
  channel: CodeChannel,
  destination: z.string(),
})
const VerificationFailed = durable("verification.failed", 1, {
  verificationId: VerificationId,
  why: z.enum(["wrong-code", "too-many-attempts", "expired", "undelivered", "too-many-codes", "void"]),
  attemptsLeft: z.int().min(0),
  by: By.optional(),
})

/** The agent wants a person to take over. */
const EscalationRaised = durable("escalation.raised", 1, { turnId: TurnId, callId: CallId, reason: z.string() })
const EscalationSettled = durable("escalation.settled", 1, { by: By, note: z.string().optional() })

/** Whether a turn has brought the conversation to the next step of the agent's workflow. */
const WorkflowJudged = durable("workflow.judged", 1, {
  turnId: TurnId,
  step: z.string(),
  verdict: z.enum(["yes", "no", "maybe", "failed"]),
  /** The step that counts from here on; absent when the last one is done. */
  next: z.string().optional(),
  /** Turns that have stayed at this step so far. */
  held: z.int().min(0),
  model: z.string().optional(),
  usage: Usage.optional(),
  costUsd: z.number().optional(),
})

const PolicyGranted = durable("policy.granted", 1, { ...Grant.shape, by: By })
const PolicyRevoked = durable("policy.revoked", 1, { grantId: GrantId, by: By })

const CompactionStarted = durable("compaction.started", 1, {
  compactionId: CompactionId,
  why: z.enum(["asked", "context-full"]),
})
const CompactionFailed = durable("compaction.failed", 1, { compactionId: CompactionId, error: z.string() })
const ContextCompacted = durable("context.compacted", 1, {
  compactionId: CompactionId,
  summary: z.string(),
  /** The newest event that the summary covers. */
  upToSeq: z.int(),
  /** Prompts that stay verbatim although they are not newer: the events by which they entered the context. */
  keeps: z.array(z.int()).optional(),
  usage: Usage.optional(),
  costUsd: z.number().optional(),
})
/** What was looked up for a turn before its model was asked. */
const ContextRetrieved = durable("context.retrieved", 1, {
  turnId: TurnId,
  query: z.string(),
  passages: z.array(Passage),
})
const ContextCleared = durable("context.cleared", 1, { by: By })
const ContextRewound = durable("context.rewound", 1, { toSeq: z.int(), by: By })

/** A name for the place before the next turn, to go back to. */
const ContextMarked = durable("context.marked", 1, { name: z.string(), toSeq: z.int(), by: By })

const ModelSelected = durable("model.selected", 1, { model: z.string(), by: By })
const ToolsSelected = durable("tools.selected", 1, { mode: ToolMode, by: By })
/** Absent: the first answer counts. */
const VotingSelected = durable("voting.selected", 1, { voting: Voting.optional(), by: By })
const PlanEntered = durable("plan.entered", 1, { planId: PlanId, focus: z.string().optional(), by: By })
const PlanExited = durable("plan.exited", 1, { planId: PlanId, summary: z.string().optional(), by: By })
const BudgetRaised = durable("budget.raised", 1, { budget: Budget, by: By })

/** Tasks of a session are numbered from 1. */
const TaskAdded = durable("task.added", 1, {
  task: z.int(),
  text: z.string(),
  priority: TaskPriority,
  parent: z.int().optional(),
  by: By,
})
const TaskChanged = durable("task.changed", 1, {
  task: z.int(),
  status: TaskStatus.optional(),
  reason: z.string().optional(),
  dependsOn: z.int().optional(),
  by: By,
})

const ChildSpawned = durable("child.spawned", 1, {
  childId: SessionId,
  /** Absent when the child waits for words of its own. */
  task: z.string().optional(),
  reason: z.string(),
  model: z.string().optional(),
  cwd: z.string().optional(),
  system: z.string().optional(),
  /** The call whose result the child's answer is. */
  callId: CallId.optional(),
  /** Where it works on a branch of its own. */
  worktree: z.object({ folder: z.string(), branch: z.string(), base: z.string() }).optional(),
})
const ChildReported = durable("child.reported", 1, { childId: SessionId, status: z.string() })
/** A descendant asks for an approval; it may be answered here. `childId` is the child through which the word came. */
const ChildAsked = durable("child.asked", 1, {
  childId: SessionId,
  sessionId: SessionId,
  approvalId: ApprovalId,
  tool: z.string(),
  input: JsonValue,
  digest: z.string(),
  reason: z.string(),
  audience: z.enum(["driver", "approver"]),
  /** Absent in older logs; then only a person answers. */
  causes: z.array(AskCause).optional(),
  expiresAt: z.int().optional(),
})
const ChildAnswered = durable("child.answered", 1, {
  childId: SessionId,
  approvalId: ApprovalId,
  outcome: z.enum(["approved", "denied", "expired", "void"]),
  by: By.optional(),
})
/** The child lives on as a root of its own. */
const ChildDetached = durable("child.detached", 1, { childId: SessionId })
const ChildEnded = durable("child.ended", 1, {
  childId: SessionId,
  outcome: z.enum(["done", "interrupted", "failed"]),
  result: z.string(),
  costUsd: z.number(),
  tokens: z.int(),
  /** What the child and its own children used of models, for whoever adds it up. */
  used: ModelUse.optional(),
  /** Set when text from outside was in the child's context: then its result is such text as well. */
  untrustedSource: z.string().optional(),
})
const ChildrenSignalled = durable("children.signalled", 1, {
  action: z.enum(["shutdown-if-idle", "force-shutdown", "detach"]),
  by: By,
})

export const SessionEvent = z.discriminatedUnion("type", [
  SessionCreated,
  SessionReopened,
  SessionAliased,
  SessionOrphaned,
  SessionHibernated,
  SessionWoken,
  SessionRenamed,
  SessionEnding,
  SessionKept,
  SessionEnded,
  VisitOpened,
  VisitVerified,
  PromptAdmitted,
  PromptPromoted,
  PromptWithdrawn,
  TurnStarted,
  TurnParked,
  TurnResumed,
  TurnAdopted,
  TurnEnded,
  StepStarted,
  TextEnded,
  ReasoningEnded,
  ResponseEnded,
  StepEnded,
  ToolCalled,
  ToolModified,
  ToolRefused,
  ToolStarted,
  ToolEnded,
  ToolUnsettled,
  ApprovalRequested,
  ApprovalDecided,
  InteractionRequested,
  InteractionAnswered,
  VerificationRequested,
  VerificationPrepared,
  VerificationSent,
  VerificationFailed,
  EscalationRaised,
  EscalationSettled,
  WorkflowJudged,
  PolicyGranted,
  PolicyRevoked,
  CompactionStarted,
  CompactionFailed,
  ContextCompacted,
  ContextRetrieved,
  ContextCleared,
  ContextRewound,
  ContextMarked,
  ModelSelected,
  ToolsSelected,
  VotingSelected,
  PlanEntered,
  PlanExited,
  BudgetRaised,
  TaskAdded,
  TaskChanged,
  ChildSpawned,
  ChildReported,
  ChildAsked,
  ChildAnswered,
  ChildDetached,
  ChildEnded,
  ChildrenSignalled,
])
export type SessionEvent = z.infer<typeof SessionEvent>
export type EventType = SessionEvent["type"]
export type EventOf<Type extends EventType> = Extract<SessionEvent, { type: Type }>

/** An event as the log gives it back: its place in the session and when it was committed (epoch milliseconds). */
export interface Recorded<Event extends SessionEvent = SessionEvent> {
  readonly seq: number
  readonly at: number
  readonly event: Event
}
