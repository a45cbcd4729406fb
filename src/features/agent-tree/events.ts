// Child sessions, as their parent records them.
import { z } from "zod"
import { command, durable, live, refusal } from "../../contract/define.ts"
import { ApprovalId, CallId, SessionId } from "../../contract/ids.ts"
import { limits } from "../../contract/limits.ts"
import {
  AskCause,
  By,
  FileChange,
  JsonValue,
  ModelUse,
  Question,
  ServerAsk,
  ThinkingLevel,
} from "../../contract/values.ts"

const ChildSpawned = durable("child.spawned", 1, {
  childId: SessionId,
  /** Absent when the child waits for its first prompt. */
  task: z.string().optional(),
  reason: z.string(),
  model: z.string().optional(),
  thinking: ThinkingLevel.optional(),
  cwd: z.string().optional(),
  system: z.string().optional(),
  /** The call whose result the child's answer is. */
  callId: CallId.optional(),
  /** Set where it works on its own branch. */
  worktree: z.object({ folder: z.string(), branch: z.string(), base: z.string() }).optional(),
  /** The only tools that it may use, of those that its parent has. */
  tools: z.array(z.string()).optional(),
  /** Set where it asks before changes although its parent does not. */
  preset: z.literal("careful").optional(),
  /** The only document sets in which it searches, of those of its parent. */
  documents: z.array(z.string()).optional(),
})
const ChildReported = durable("child.reported", 1, { childId: SessionId, status: z.string() })
/** A descendant asks for an approval; it may be answered here. `childId` is the child that passed the request on. */
export const ChildAsked = durable("child.asked", 1, {
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
  /** What the call would do to files, as they were when it was asked. */
  changes: z.array(FileChange).optional(),
  /** Set where an answer to these is wanted, not an approval. */
  questions: z.array(Question).optional(),
  /** Set where an MCP server of a running call asks. */
  server: ServerAsk.optional(),
  expiresAt: z.int().optional(),
})
const ChildAnswered = durable("child.answered", 1, {
  childId: SessionId,
  approvalId: ApprovalId,
  outcome: z.enum(["approved", "denied", "expired", "void"]),
  by: By.optional(),
  answer: z.string().optional(),
})
/** The child lives on as a root of its own. */
const ChildDetached = durable("child.detached", 1, { childId: SessionId })
const ChildEnded = durable("child.ended", 1, {
  childId: SessionId,
  outcome: z.enum(["done", "interrupted", "failed"]),
  result: z.string(),
  costUsd: z.number(),
  tokens: z.int(),
  /** What the child and its descendants used of models. */
  used: ModelUse.optional(),
  /** Set when the child's context had text from outside: its result counts as such text too. */
  untrustedSource: z.string().optional(),
})
const ChildrenSignalled = durable("children.signalled", 1, {
  action: z.enum(["shutdown-if-idle", "force-shutdown", "detach"]),
  by: By,
})

const Spawn = command("spawn", {
  childId: SessionId,
  /** Without one the child waits for its first prompt. */
  task: z.string().optional(),
  reason: z.string().max(limits.nameLength).optional(),
  /** Default: what the parent has. */
  model: z.string().min(1).max(limits.nameLength).optional(),
  thinking: ThinkingLevel.optional(),
  cwd: z.string().optional(),
  system: z.string().optional(),
  callId: CallId.optional(),
  worktree: z.object({ folder: z.string(), branch: z.string(), base: z.string() }).optional(),
  tools: z.array(z.string().min(1).max(limits.nameLength)).max(200).optional(),
  preset: z.literal("careful").optional(),
  documents: z.array(z.string().min(1).max(limits.nameLength)).max(200).optional(),
})
const SignalChildren = command("signal-children", { action: z.enum(["shutdown-if-idle", "force-shutdown", "detach"]) })
/** Leaves the parent: the session becomes the root of its own tree. */
const Orphan = command("orphan", {})

/** What a child is doing, in a few words. */
const ChildProgressed = live("child.progressed", { childId: SessionId, status: z.string() })

export const agentTreeContract = {
  events: [ChildSpawned, ChildReported, ChildAsked, ChildAnswered, ChildDetached, ChildEnded, ChildrenSignalled],
  commands: [Spawn, SignalChildren, Orphan],
  refusals: [
    refusal("child.too-deep", { limit: z.int() }),
    refusal("child.too-many", { limit: z.int() }),
    refusal("child.exists", { childId: SessionId }),
  ],
  deltas: [ChildProgressed],
} as const
