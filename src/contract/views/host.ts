// Answers of a host about itself: locks, extensions, models, tools.
import { z } from "zod"
import { ApprovalId, CallId, SessionId } from "../ids.ts"
import { AskCause, Contact, FileChange, JsonValue, Question, ServerAsk, ToolClass } from "../values.ts"
import { list, variants } from "./list.ts"

export const HostReport = z.object({
  hostId: z.string(),
  role: z.string(),
  release: z.string(),
  pid: z.int(),
  startedAt: z.number(),
  sessions: z.int(),
  watching: z.int(),
  isLeaving: z.boolean(),
  /** The time by the host's clock, as it answers; absent in answers of older releases. */
  now: z.number().optional(),
})
export type HostReport = z.infer<typeof HostReport>

/** A setting of the configuration that the host was started with. */
export const SettingLine = z.object({
  /** `tools.confirm`. */
  key: z.string(),
  /** As JSON, cut where it is long; a sentence in place of what may be secret. */
  value: z.string(),
  /** The files that set it, in the order in which they are read: the last one counts, but lists of a project are added. */
  files: list(z.string()),
})
export type SettingLine = z.infer<typeof SettingLine>

export const OpenRequest = variants("kind", [
  z.object({
    kind: z.literal("approval"),
    sessionId: SessionId,
    approvalId: ApprovalId,
    callId: CallId,
    tool: z.string(),
    digest: z.string(),
    reason: z.string(),
    audience: z.enum(["driver", "approver"]),
    causes: z.array(AskCause).optional(),
    expiresAt: z.int().optional(),
    askedAt: z.number(),
    /** As stored: a secret in it is a placeholder. */
    input: JsonValue,
    /** What the call would do to files, as they were when it was asked; absent where that is not known. */
    changes: list(FileChange).optional(),
    /** Set where an answer to these is wanted, not an approval; absent in answers of older releases. */
    questions: list(Question).optional(),
    /** Set where an MCP server of the running call asks. */
    server: ServerAsk.optional(),
  }),
  z.object({ kind: z.literal("escalation"), sessionId: SessionId, reason: z.string(), askedAt: z.number() }),
])
export type OpenRequest = z.infer<typeof OpenRequest>

export const OfferedTool = z.object({
  name: z.string(),
  description: z.string(),
  class: ToolClass,
  /** A JSON Schema. */
  inputSchema: z.record(z.string(), z.unknown()).readonly(),
})
export type OfferedTool = z.infer<typeof OfferedTool>

export const TokenPrices = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number().optional(),
  cacheWrite5m: z.number().optional(),
  cacheWrite1h: z.number().optional(),
})
export type TokenPrices = z.infer<typeof TokenPrices>

/** An ability that is absent is unknown. */
export const ModelAbilities = z.object({
  images: z.boolean().optional(),
  thinking: z.boolean().optional(),
  tools: z.boolean().optional(),
  pdf: z.boolean().optional(),
})
export type ModelAbilities = z.infer<typeof ModelAbilities>

export const ModelListing = z.object({
  provider: z.string(),
  /** The part after `provider/`; for a model of an extension, the whole name. */
  id: z.string(),
  name: z.string(),
  contextWindow: z.number().optional(),
  /** Tokens that the model can give in one answer. */
  outputLimit: z.number().optional(),
  abilities: ModelAbilities.optional(),
  /** US dollars for a million tokens; absent when unknown. */
  prices: TokenPrices.optional(),
  isDefault: z.boolean().default(false),
})
export type ModelListing = z.infer<typeof ModelListing>

/** A model of an extension of an open session. */
export const ExtensionModelListing = z.object({
  name: z.string(),
  displayName: z.string(),
  contextWindow: z.number().nullable(),
})
export type ExtensionModelListing = z.infer<typeof ExtensionModelListing>

export const ExtensionReport = z.object({
  id: z.string(),
  /** The root of the session tree that uses it. */
  sessionId: SessionId,
  folder: z.string().nullable().default(null),
  health: z.enum(["starting", "running", "degraded", "restarting", "failed", "stopped"]),
  isOutdated: z.boolean(),
  isGuard: z.boolean().default(false),
  permissions: list(z.string()).default([]),
  hooks: list(z.string()).default([]),
  models: list(ExtensionModelListing).default([]),
  pid: z.int().nullable().default(null),
  restarts: z.int(),
  lastFault: z.string().nullable(),
  times: z.object({ calls: z.int(), medianMs: z.number(), longestMs: z.number() }),
})
export type ExtensionReport = z.infer<typeof ExtensionReport>

export const McpServerReport = z.object({
  name: z.string(),
  /** The root of the session tree that uses it. */
  sessionId: SessionId,
  /** The file that defines it. */
  source: z.string(),
  /** `idle`: it has not been needed yet. */
  state: z.enum(["idle", "starting", "ready", "needs login", "failed", "stopped"]),
  /** How many it listed last. */
  tools: z.int(),
  /** Null where it has no process. A shared server has the same one in all its sessions. */
  pid: z.int().nullable(),
  /** How long the last connection took; null before the first. */
  connectMs: z.number().nullable(),
  lastError: z.string().nullable(),
})
export type McpServerReport = z.infer<typeof McpServerReport>

/** A command that can be typed in a session, besides those of the door. */
export const TypedCommand = z.object({
  name: z.string(),
  description: z.string(),
  /** What may follow the name. */
  usage: z.string().optional(),
  /** The folder, the user, skills, a plugin, an MCP server, or the name of an extension. */
  source: z.string(),
})
export type TypedCommand = z.infer<typeof TypedCommand>

const lock = { lock: z.string(), scope: z.string() }

export const LockListing = z.object({
  held: list(
    z.object({
      ...lock,
      holder: z.string(),
      description: z.string(),
      status: z.string(),
      /** Null in rows of other programs. */
      fence: z.int().nullable(),
      pid: z.int(),
      hostname: z.string(),
      heldMs: z.number(),
    }),
  ),
  /** In the order in which they get the lock. */
  waiting: list(
    z.object({
      holder: z.string(),
      wants: list(z.object(lock)),
      description: z.string(),
      /** Absent in the listing of one machine. */
      hostname: z.string().optional(),
      waitedMs: z.number(),
    }),
  ),
})
export type LockListing = z.infer<typeof LockListing>

export const LockAcquisition = z.union([
  z.object({ granted: z.literal(true), scope: z.string(), fence: z.int() }),
  z.object({ granted: z.literal(false), scope: z.string(), holder: z.string(), lock: z.string() }),
])
export type LockAcquisition = z.infer<typeof LockAcquisition>

/** The session that a visit belongs to, and the visit as it was opened. */
export const VisitReport = z.object({
  sessionId: SessionId,
  visit: z.object({
    visitId: z.string(),
    agentId: z.string(),
    principal: z.string(),
    contact: Contact,
    participants: z.object({ user: z.string(), agent: z.string() }),
    supports: list(z.string()).optional(),
  }),
  /** What is known of the visitor now; absent in a brief answer. */
  contact: Contact.optional(),
})
export type VisitReport = z.infer<typeof VisitReport>
