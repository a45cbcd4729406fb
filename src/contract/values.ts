// The shapes that several events, commands and doors share.
import { z } from "zod"
import { GrantId } from "./ids.ts"
import { thinkingLevels } from "./rules/thinking.ts"

/** A field that is undefined is absent. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined }
/** Any JSON; only its tool knows its shape. */
export const JsonValue = z.custom<JsonValue>()

/** The principal that acted, and through which door. */
export const By = z.object({ principal: z.string(), door: z.string() })
export type By = z.infer<typeof By>

/** What a principal may do: watch, send prompts, answer requests for approval. */
export const Role = z.enum(["watch", "drive", "approve"])
export type Role = z.infer<typeof Role>

/** A principal with its roles. Without roles it is the local user, who has all of them. */
export const Who = By.extend({ roles: z.array(Role).optional() })
export type Who = z.infer<typeof Who>

/** Whether a tool may run again after a crash: always, with the same idempotency key, or never automatically. */
export const ToolClass = z.enum(["read", "keyed", "unsafe"])
export type ToolClass = z.infer<typeof ToolClass>

export const ToolMode = z.union([
  z.enum(["Full", "Smart", "Core", "None"]),
  z.object({ Explicit: z.array(z.string()) }),
])
export type ToolMode = z.infer<typeof ToolMode>

/** How much a model thinks before it answers. Without a level the provider's default applies. */
export const ThinkingLevel = z.enum(thinkingLevels)
export type ThinkingLevel = z.infer<typeof ThinkingLevel>

/** What may run without an approval: see the policy presets in docs/architecture.md. */
export const Preset = z.enum(["careful", "trusting", "service"])
export type Preset = z.infer<typeof Preset>

/** Why a call needs an approval: the preset, a list of the configuration, an extension, untrusted text, an unknown outcome. */
export const AskCause = z.enum(["preset", "confirm", "approve", "extension", "untrusted", "unsettled"])
export type AskCause = z.infer<typeof AskCause>

/** Flags that answer a request in place of a person; `unattended` can only deny. See rules/approval-answers.ts. */
export const PolicyFlag = z.enum(["--yes", "--allow-tool", "--allow-untrusted", "unattended"])
export type PolicyFlag = z.infer<typeof PolicyFlag>

export const Attachment = z.object({
  name: z.string(),
  mediaType: z.string(),
  /** base64 of the bytes, or a URL that the host passes on and never fetches. */
  data: z.string().optional(),
  url: z.string().optional(),
  /** Level of detail for an image, for providers that support it. */
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

/** Ways in which an answer ends incomplete. */
export const Shortfall = z.enum(["length", "content-filter", "refusal", "empty"])
export type Shortfall = z.infer<typeof Shortfall>

export const Finish = z.enum(["stop", "tool-calls", ...Shortfall.options, "other"])
export type Finish = z.infer<typeof Finish>

/** Where a running call wants to connect; see contract/rules/network-rules.ts. */
export const Connection = z.object({ host: z.string().max(256), port: z.int().min(1).max(65_535) })
export type Connection = z.infer<typeof Connection>

/** Text for a model that an MCP server wrote; the conversation is not part of it. */
export const ServerPrompt = z.object({
  system: z.string().optional(),
  messages: z.array(z.object({ role: z.enum(["user", "assistant"]), text: z.string() })),
  maxTokens: z.int().min(1),
})
export type ServerPrompt = z.infer<typeof ServerPrompt>

/** An MCP server that a running call uses, and what it wants: answers of a person, or an answer of the session's model. */
export const ServerAsk = z.object({
  name: z.string(),
  wants: z.enum(["answers", "model"]),
  /** Exactly what the model would get. */
  prompt: ServerPrompt.optional(),
})
export type ServerAsk = z.infer<typeof ServerAsk>

/** A permission given in advance: calls of the tool whose main argument matches the glob need no approval. */
export const Grant = z.object({
  grantId: GrantId,
  tool: z.string(),
  pattern: z.string(),
  scope: z.enum(["session", "folder"]),
  /** Of the tool that was shown: it holds as long as the tool's description does. Absent for tools that do not change. */
  revision: z.string().optional(),
})
export type Grant = z.infer<typeof Grant>

/** A process that a tool started, so that the next host can find out what became of it. */
export const ToolProcess = z.object({
  pid: z.int(),
  group: z.int(),
  startTime: z.string(),
  /** In the environment of the process and of its descendants. */
  mark: z.string().optional(),
  /** In a cluster: the boot of the machine in which the pid is valid. */
  boot: z.string().optional(),
})
export type ToolProcess = z.infer<typeof ToolProcess>

export const SessionLimits = z.object({ stepsPerTurn: z.int(), depth: z.int(), children: z.int() })
export type SessionLimits = z.infer<typeof SessionLimits>

export const Budget = z.object({ usd: z.number().optional(), tokens: z.int().optional() })
export type Budget = z.infer<typeof Budget>

/** `--config FILE` and `--profile P` of a command line. */
export const Configuration = z.object({ file: z.string().optional(), profile: z.string().optional() })
export type Configuration = z.infer<typeof Configuration>

/** Of a task in the list that the people and agents of a session share. */
export const TaskStatus = z.enum(["pending", "in-progress", "completed", "failed", "blocked", "skipped"])
export type TaskStatus = z.infer<typeof TaskStatus>

export const TaskPriority = z.enum(["urgent", "high", "normal", "low"])
export type TaskPriority = z.infer<typeof TaskPriority>

/** Work that several agents must not do at the same time. */
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

/** A lock with its fencing number, which rises with every grant, so that an old one is recognised. */
export const HeldLock = z.object({ type: LockType, scope: z.string(), fence: z.int() })
export type HeldLock = z.infer<typeof HeldLock>

/** A place in a document that supports an answer: the snippet is quoted verbatim. */
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

/** Several answers to the same request; the first that leads by `ahead` votes is taken. */
export const Voting = z.object({
  ahead: z.int().min(1).max(20),
  /** Maximum number of answers, and how many are requested in parallel. */
  samples: z.int().min(1).max(200),
  parallel: z.int().min(1).max(16),
  /** Limit of the cost of one vote, as far as prices are known. */
  usd: z.number().positive().optional(),
  /** Tokens of an answer; a longer one does not count. */
  longest: z.int().min(1).optional(),
  /** Without a decision the turn fails, instead of continuing with the leading answer. */
  failFast: z.boolean().optional(),
})
export type Voting = z.infer<typeof Voting>

/** The result of a vote: answers counted and discarded, and the lead of the one that was taken. */
export const Votes = z.object({
  counted: z.int(),
  discarded: z.int(),
  lead: z.int(),
  ahead: z.int(),
  /** Set where no answer had the required lead: the votes of the best two. The first of the best was taken. */
  undecided: z.object({ best: z.int(), next: z.int() }).optional(),
})
export type Votes = z.infer<typeof Votes>

/** What a tool requires: a verified visitor, or that no visitor uses it at all. */
export const ToolLevel = z.enum(["end_user", "admin"])
export type ToolLevel = z.infer<typeof ToolLevel>

/** How a one-time code is sent. */
export const CodeChannel = z.enum(["email", "sms"])
export type CodeChannel = z.infer<typeof CodeChannel>

/** What a visitor said about themselves. */
export const Contact = z.object({
  name: z.string().optional(),
  email: z.string().optional(),
  phone: z.string().optional(),
})
export type Contact = z.infer<typeof Contact>

/** Requests to a visitor that a client can show as a card. */
export const InteractionKind = z.enum(["identity_intake", "choices"])
export type InteractionKind = z.infer<typeof InteractionKind>

/** A question of the agent to a person, with choices; own words are always possible. */
export const Question = z.object({
  question: z.string(),
  header: z.string().optional(),
  /** Whether more than one option may be chosen. */
  multiSelect: z.boolean().optional(),
  options: z.array(z.object({ label: z.string(), description: z.string().optional() })),
})
export type Question = z.infer<typeof Question>

/** The answer to one question: labels of the chosen options, or the person's own words. */
export const QuestionAnswer = z.object({ options: z.array(z.string()), text: z.string().optional() })
export type QuestionAnswer = z.infer<typeof QuestionAnswer>

/** What is wrong with one field of an answer. */
export const FieldError = z.object({ field: z.string(), message: z.string() })
export type FieldError = z.infer<typeof FieldError>

/** `at` counts lines of the new file, for removed lines of the old one. */
export const DiffLine = z.union([
  z.object({ sign: z.enum(["+", "-", " "]), at: z.int(), text: z.string() }),
  /** `unchanged`: these lines stay as they are. */
  z.object({ sign: z.literal("…"), omitted: z.int(), unchanged: z.boolean().optional() }),
])
export type DiffLine = z.infer<typeof DiffLine>

/** Counts are of the whole change; `lines` may have fewer. */
export const FileDiff = z.object({ added: z.int(), removed: z.int(), lines: z.array(DiffLine).readonly() })
export type FileDiff = z.infer<typeof FileDiff>

/** What a call would do to one file. A new file has no lines here: its content is in the arguments of the call. */
export const FileChange = FileDiff.extend({ path: z.string(), isNew: z.boolean().optional() })
export type FileChange = z.infer<typeof FileChange>

/** Text that a model was still writing when it was cut off. */
export const StreamedBlock = z.object({ block: z.int(), kind: z.enum(["text", "reasoning"]), text: z.string() })
export type StreamedBlock = z.infer<typeof StreamedBlock>
