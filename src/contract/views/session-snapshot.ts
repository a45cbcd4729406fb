// A session at one moment: what a client that joins shows before it watches from `seq`.
import { z } from "zod"
import { ChildAsked } from "../../features/agent-tree/events.ts"
import { CallId, PlanId, PromptId, SessionId, ShellId } from "../ids.ts"
import { TaskPriority, TaskStatus, ToolMode } from "../values.ts"
import { list } from "./list.ts"
import { SessionStatus } from "./status.ts"
import { TranscriptPage } from "./transcript.ts"

export const Task = z.object({
  /** Its number, from 1. */
  task: z.int(),
  text: z.string(),
  priority: TaskPriority,
  parent: z.int().optional(),
  status: TaskStatus,
  /** Why it is blocked, skipped or failed. */
  reason: z.string().optional(),
  dependsOn: list(z.int()),
  addedAt: z.number(),
  startedAt: z.number().optional(),
  endedAt: z.number().optional(),
  /** It is on the agent's own list, which the agent replaces as a whole. */
  isAgents: z.literal(true).optional(),
})
export type Task = z.infer<typeof Task>
export type TaskList = readonly Task[]

export const EntityKind = z.enum(["file", "function", "type", "variable", "error", "command"])
export type EntityKind = z.infer<typeof EntityKind>

export const Focus = z.object({ kind: EntityKind, name: z.string(), turn: z.int(), isWritten: z.boolean() })
export type Focus = z.infer<typeof Focus>

export const Resolution = z.object({ words: z.string(), entity: z.string() })
export type Resolution = z.infer<typeof Resolution>

/** What `it` and `the file` refer to. */
export const References = z.object({
  /** Recently named entities, the newest last. */
  focus: list(Focus).default([]),
  /** Number of prompts by people. */
  turn: z.int().default(0),
  /** The newest prompt of a person introduced something that is not in `focus`. */
  broughtUpMore: z.boolean().default(false),
  /** Digests of the entities that were counted. */
  seen: list(z.number()).default([]),
  found: z.int().default(0),
  resolved: z.int().default(0),
  last: Resolution.optional(),
  /** Of the newest prompt of a person. */
  newest: list(Resolution).default([]),
  /** Prompts that were not delivered yet. */
  waiting: z.record(PromptId, z.string()).readonly().default({}),
  /** Files that calls are about to write. */
  writing: z.record(CallId, z.string()).readonly().default({}),
})
export type References = z.infer<typeof References>

export const Mark = z.object({ name: z.string(), toSeq: z.int() })
export type Mark = z.infer<typeof Mark>

export const OpenPlan = z.object({ id: PlanId, focus: z.string().optional() })
export type OpenPlan = z.infer<typeof OpenPlan>

export const Shell = z.object({ id: ShellId, command: z.string() })
export type Shell = z.infer<typeof Shell>

export const SessionSnapshot = TranscriptPage.extend({
  status: SessionStatus,
  plan: OpenPlan.optional(),
  references: References.prefault({}),
  /** Whether the model gets hints about references. */
  hintsReferences: z.boolean().default(false),
  toolMode: ToolMode,
  tasks: list(Task),
  marks: list(Mark),
  children: list(SessionId),
  /** Background shells that run. */
  shells: list(Shell).default([]),
  /** The newest end of a turn that is older than every waiting prompt. */
  restSeq: z.int().default(0),
  /** Open requests for approval of descendants, oldest first. */
  asked: list(ChildAsked).default([]),
})
export type SessionSnapshot = z.infer<typeof SessionSnapshot>
