// The shapes that several events, commands and doors share.
import { z } from "zod"
import { GrantId } from "./ids.ts"

/** A member that is undefined is a member that is not there. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined }
/** Any JSON. What it must look like is known only to its tool; it is kept as it came. */
export const JsonValue = z.custom<JsonValue>()

/** Who did it, and through which door. */
export const By = z.object({ principal: z.string(), door: z.string() })
export type By = z.infer<typeof By>

/** What a principal may do: look, speak, answer requests for approval. */
export const Role = z.enum(["watch", "drive", "approve"])
export type Role = z.infer<typeof Role>

/** Whoever comes in through a door, with what they may do there. Without roles they are the local user and have all. */
export const Who = By.extend({ roles: z.array(Role).optional() })
export type Who = z.infer<typeof Who>

/** Whether a tool may be run again after a crash: freely, with the same idempotency key, or never by itself. */
export const ToolClass = z.enum(["read", "keyed", "unsafe"])
export type ToolClass = z.infer<typeof ToolClass>

export const ToolMode = z.union([
  z.enum(["Full", "Smart", "Core", "None"]),
  z.object({ Explicit: z.array(z.string()) }),
])
export type ToolMode = z.infer<typeof ToolMode>

/** What may happen without asking: see the policy presets in docs/architecture.md. */
export const Preset = z.enum(["careful", "trusting", "service"])
export type Preset = z.infer<typeof Preset>

/** Why a call asks first: the preset, a list of the configuration, an extension, untrusted text, an unknown outcome. */
export const AskCause = z.enum(["preset", "confirm", "approve", "extension", "untrusted", "unsettled"])
export type AskCause = z.infer<typeof AskCause>

/** What may answer a request in place of a person; `unattended` can only say no. See approval-policy.ts. */
export const PolicyFlag = z.enum(["--yes", "--allow-tool", "--allow-untrusted", "unattended"])
export type PolicyFlag = z.infer<typeof PolicyFlag>

export const Attachment = z.object({
  name: z.string(),
  mediaType: z.string(),
  /** base64 of the bytes, or an address that is passed on and never fetched by the host. */
  data: z.string().optional(),
  url: z.string().optional(),
  /** How closely a model is to look at a picture, for providers that can be told. */
  detail: z.enum(["low", "high", "auto"]).optional(),
})
export type Attachment = z.infer<typeof Attachment>

/** Tokens of one model call. `input` counts everything sent, cache reads and writes included. */
export const Usage = z.object({
  input: z.int().min(0),
  output: z.int().min(0),
  cacheRead: z.int().min(0),
  cacheWrite5m: z.int().min(0),
  cacheWrite1h: z.int().min(0),
  reasoning: z.int().min(0),
})
export type Usage = z.infer<typeof Usage>

/** What several model calls used together. */
export const ModelUse = z.object({
  ...Usage.shape,
  modelCalls: z.int().min(0),
  /** Calls whose price is not known. */
  unpricedCalls: z.int().min(0),
})
export type ModelUse = z.infer<typeof ModelUse>

/** Ways in which an answer ends without being a whole one. */
export const Shortfall = z.enum(["length", "content-filter", "refusal", "empty"])
export type Shortfall = z.infer<typeof Shortfall>

export const Finish = z.enum(["stop", "tool-calls", ...Shortfall.options, "other"])
export type Finish = z.infer<typeof Finish>

/** An approval that was given in advance: calls of the tool whose main argument fits the glob need no further yes. */
export const Grant = z.object({
  grantId: GrantId,
  tool: z.string(),
  pattern: z.string(),
  scope: z.enum(["session", "folder"]),
})
export type Grant = z.infer<typeof Grant>

/** A process that a tool started, so that whoever takes the session over can find out what became of it. */
export const ToolProcess = z.object({
  pid: z.int(),
  group: z.int(),
  startTime: z.string(),
  /** In the environment of the process and of all it starts. */
  mark: z.string().optional(),
})
export type ToolProcess = z.infer<typeof ToolProcess>

export const SessionLimits = z.object({ stepsPerTurn: z.int(), depth: z.int(), children: z.int() })
export type SessionLimits = z.infer<typeof SessionLimits>

export const Budget = z.object({ usd: z.number().optional(), tokens: z.int().optional() })
export type Budget = z.infer<typeof Budget>

/** What a command line names besides the usual files: `--config FILE` and `--profile P`. */
export const Configuration = z.object({ file: z.string().optional(), profile: z.string().optional() })
export type Configuration = z.infer<typeof Configuration>

/** Something that is to be done, in the list that a session's people and agents share. */
export const TaskStatus = z.enum(["pending", "in-progress", "completed", "failed", "blocked", "skipped"])
export type TaskStatus = z.infer<typeof TaskStatus>

export const TaskPriority = z.enum(["urgent", "high", "normal", "low"])
export type TaskPriority = z.infer<typeof TaskPriority>

/** What several agents must not do at once. */
export const LockType = z.enum([
  "build",
  "test",
  "build_test",
  "git_index",
  "git_commit",
  "git_remote_write",
  "git_remote_merge",
  "git_branch",
  "git_destructive",
])
export type LockType = z.infer<typeof LockType>

/** A lock as its holder has it. Fencing numbers rise with every grant, so an old one is recognised. */
export const HeldLock = z.object({ type: LockType, scope: z.string(), fence: z.int() })
export type HeldLock = z.infer<typeof HeldLock>

/** A place in a document that an answer can be checked against: the snippet stands there word for word. */
export const Citation = z.object({
  id: z.string(),
  title: z.string(),
  url: z.string().optional(),
  snippet: z.string(),
  score: z.number(),
})
export type Citation = z.infer<typeof Citation>

/** A piece of a document that was found. */
export const Passage = z.object({ ...Citation.shape, text: z.string() })
export type Passage = z.infer<typeof Passage>

/** Several answers to the same question, of which the one counts that is ahead by so many votes. */
export const Voting = z.object({
  ahead: z.int().min(1).max(20),
  /** Answers at most, and how many are asked for at the same time. */
  samples: z.int().min(1).max(200),
  parallel: z.int().min(1).max(16),
  /** What one vote may cost, as far as prices are known. */
  usd: z.number().positive().optional(),
  /** Tokens of an answer; a longer one does not count. */
  longest: z.int().min(1).optional(),
  /** Without a decision the turn fails, instead of going on with the answer that leads. */
  failFast: z.boolean().optional(),
})
export type Voting = z.infer<typeof Voting>

/** How a vote came out: answers that counted and that did not, and by how many votes the one that was taken leads. */
export const Votes = z.object({
  counted: z.int(),
  discarded: z.int(),
  lead: z.int(),
  ahead: z.int(),
  /** Set where no answer had the lead that was needed: the votes of the best two. The first of the best was taken. */
  undecided: z.object({ best: z.int(), next: z.int() }).optional(),
})
export type Votes = z.infer<typeof Votes>

/** What a visitor must be before a tool works for them: one who has proved who they are, or nobody from outside. */
export const ToolLevel = z.enum(["end_user", "admin"])
export type ToolLevel = z.infer<typeof ToolLevel>

/** Where a one-time code goes. */
export const CodeChannel = z.enum(["email", "sms"])
export type CodeChannel = z.infer<typeof CodeChannel>

/** How a visitor can be called and reached, as far as they have said. */
export const Contact = z.object({
  name: z.string().optional(),
  email: z.string().optional(),
  phone: z.string().optional(),
})
export type Contact = z.infer<typeof Contact>

/** What a visitor can be asked for with a card of its own, where their client can show one. */
export const InteractionKind = z.enum(["identity_intake", "choices"])
export type InteractionKind = z.infer<typeof InteractionKind>

/** What is wrong with one field of an answer. */
export const FieldError = z.object({ field: z.string(), message: z.string() })
export type FieldError = z.infer<typeof FieldError>

/** Text that a model was still writing when it was cut off. */
export const StreamedBlock = z.object({ block: z.int(), kind: z.enum(["text", "reasoning"]), text: z.string() })
export type StreamedBlock = z.infer<typeof StreamedBlock>
