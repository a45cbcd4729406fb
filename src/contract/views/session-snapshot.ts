// A session at one moment: what a client shows that joins, before it watches from `seq`.
import { z } from "zod"
import { ChildAsked } from "../../features/agent-tree/events.ts"
import { CallId, PlanId, PromptId, SessionId } from "../ids.ts"
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
  /** What was named lately, the newest last. */
  focus: list(Focus).default([]),
  /** How often a person has spoken. */
  turn: z.int().default(0),
  /** The newest prompt of a person named more than can be known here. */
  broughtUpMore: z.boolean().default(false),
  /** Digests of all that was named, as far as they are counted. */
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

export const SessionSnapshot = TranscriptPage.extend({
  status: SessionStatus,
  plan: OpenPlan.optional(),
  references: References.prefault({}),
  /** Whether the model is told what references point at. */
  hintsReferences: z.boolean().default(false),
  toolMode: ToolMode,
  tasks: list(Task),
  marks: list(Mark),
  children: list(SessionId),
  /** The newest end of a turn before which no waiting prompt was sent. */
  restSeq: z.int().default(0),
  /** Approvals that descendants wait for, oldest first. */
  asked: list(ChildAsked).default([]),
})
export type SessionSnapshot = z.infer<typeof SessionSnapshot>
