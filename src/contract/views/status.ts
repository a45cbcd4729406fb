// A session in one line, as a directory shows it without opening the session.
import { z } from "zod"
import { SessionId } from "../ids.ts"
import { Budget, By, Grant, ModelUse, ThinkingLevel, Voting } from "../values.ts"
import { list } from "./list.ts"

/** `usd` does not count calls whose price is not known. */
export const Spent = z.object({ ...ModelUse.shape, usd: z.number() })
export type Spent = z.infer<typeof Spent>

export const UsageView = z.object({
  total: Spent,
  /** The running turn, or the newest one. */
  turn: Spent,
})
export type UsageView = z.infer<typeof UsageView>

export const MessageCount = z.object({
  /** Absent where it is unknown: the conversation was rewound, or an older release wrote the line. */
  count: z.int().optional(),
  /** The newest text of the running turn: a reply if the turn ends well and no other text follows. */
  reply: z.enum(["none", "whole", "cut off"]),
})
export type MessageCount = z.infer<typeof MessageCount>

/** Stored beside the log with every append. Lines of older releases lack newer fields: those have a default. */
export const SessionStatus = z.object({
  name: z.string().optional(),
  /** Other ids and names of the session. */
  aliases: list(z.string()).default([]),
  /** The beginning of the first prompt. */
  title: z.string().optional(),
  model: z.string(),
  /** Absent where the default of the provider applies. */
  thinking: ThinkingLevel.optional(),
  cwd: z.string().default(""),
  origin: z.string().default(""),
  org: z.string().default(""),
  owner: z.string().default(""),
  /** The agent of a visitor's conversation; absent for local sessions. */
  agentId: z.string().optional(),
  parentId: SessionId.optional(),
  /** Why the parent created it. */
  spawnReason: z.string().optional(),
  /** How many generations are above it. */
  depth: z.int().default(0),
  life: z.enum(["open", "ended"]).default("open"),
  inTurn: z.boolean().default(false),
  parked: z.boolean().default(false),
  hibernated: z.boolean().default(false),
  compacting: z.boolean().default(false),
  planMode: z.boolean().default(false),
  /** Absent without voting. */
  voting: Voting.optional(),
  openApprovals: z.int().default(0),
  /** Why and since when the agent asks for a person, until the request is handled. */
  escalated: z.object({ reason: z.string(), at: z.number() }).optional(),
  /** Open approvals of descendants; the descendants count them too. */
  childApprovals: z.int().default(0),
  /** Children that have not ended. */
  children: z.int().default(0),
  /** Approvals given in advance for every session in this folder. */
  folderGrants: list(Grant).default([]),
  waitingPrompts: z.int().default(0),
  turns: z.int(),
  messages: MessageCount.default({ reply: "none" }),
  usage: UsageView,
  /** Absent without a limit, and in lines of older releases. */
  budget: Budget.optional(),
})
export type SessionStatus = z.infer<typeof SessionStatus>

export const Activity = z.enum(["idle", "busy", "asking", "parked", "hibernated"])
export type Activity = z.infer<typeof Activity>

export const SessionLine = z.object({
  sessionId: SessionId,
  createdAt: z.number(),
  updatedAt: z.number(),
  seq: z.int(),
  /** The host that has the session open. */
  host: z
    .object({
      hostId: z.string(),
      role: z.string(),
      pid: z.int(),
      /** In a cluster. */
      node: z.string().optional(),
    })
    .nullable(),
  /** Label of the nodes that can run it; absent: any. */
  place: z.string().optional(),
  activity: Activity,
  status: SessionStatus,
})
export type SessionLine = z.infer<typeof SessionLine>

/** With the principals that watch the session now. */
export const WatchedLine = SessionLine.extend({ watching: list(By).default([]) })
export type WatchedLine = z.infer<typeof WatchedLine>
