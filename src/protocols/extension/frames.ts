// The frames between a host and a synaps extension, and an extension's manifest. ../json-rpc.ts has the JSON-RPC 2.0 around
// them. Unknown members are ignored except inside `match`, where a misspelt condition would match everything.
import { z } from "zod"
import { JsonValue } from "../../contract/values.ts"

export const HookKind = z.enum([
  "before_tool_call",
  "after_tool_call",
  "before_message",
  "on_message_complete",
  "on_compaction",
  "on_session_start",
  "on_session_end",
  "on_usage",
])
export type HookKind = z.infer<typeof HookKind>

const textOrNull = z.string().nullable()

/** The parameters of `hook.handle`: every member is present, null where the hook does not use it. */
export const HookEvent = z.object({
  data: JsonValue,
  kind: HookKind,
  message: textOrNull,
  session_id: textOrNull,
  tool_input: JsonValue,
  tool_name: textOrNull,
  tool_output: textOrNull,
  tool_runtime_name: textOrNull,
  transcript: z.array(JsonValue).nullable(),
})
export type HookEvent = z.infer<typeof HookEvent>

/** The result of `hook.handle`. */
export const HookAction = z.discriminatedUnion("action", [
  z.object({ action: z.literal("continue") }),
  z.object({ action: z.literal("block"), reason: z.string() }),
  z.object({ action: z.literal("confirm"), message: z.string() }),
  z.object({ action: z.literal("inject"), content: z.string() }),
  z.object({ action: z.literal("modify"), input: JsonValue }),
  z.object({ action: z.literal("replace"), output: z.string() }),
])
export type HookAction = z.infer<typeof HookAction>

const ToolSpec = z.object({ name: z.string(), description: z.string(), input_schema: JsonValue })
export type ToolSpec = z.infer<typeof ToolSpec>

/** Capabilities are any JSON: only a `streaming` or `tool_use` of true counts. */
const ProviderModelSpec = z.object({
  id: z.string(),
  display_name: textOrNull.optional(),
  capabilities: JsonValue.optional(),
  context_window: z.int().min(0).nullable().optional(),
})
export type ProviderModelSpec = z.infer<typeof ProviderModelSpec>

/** A provider of models. `config_schema` says which settings of the extension it requires. */
const ProviderSpec = z.object({
  id: z.string(),
  display_name: z.string(),
  description: z.string(),
  models: z.array(ProviderModelSpec),
  config_schema: JsonValue.optional(),
})
export type ProviderSpec = z.infer<typeof ProviderSpec>

const Capabilities = z.object({
  tools: z.array(ToolSpec).optional(),
  providers: z.array(ProviderSpec).optional(),
})

/** The result of `initialize`. Scaffolds answer with an empty list for capabilities. */
export const InitializeResult = z.object({
  protocol_version: z.int(),
  capabilities: z.union([Capabilities, z.array(JsonValue).max(0)]).optional(),
})
export type InitializeResult = z.infer<typeof InitializeResult>

/** The parameters of `provider.complete` and `provider.stream`. Messages are blocks with a role. */
export const ProviderRequest = z.object({
  provider_id: z.string(),
  model_id: z.string(),
  /** `plugin:provider:model` */
  model: z.string(),
  messages: z.array(z.object({ role: z.enum(["user", "assistant"]), content: JsonValue })),
  system_prompt: textOrNull,
  tools: z.array(ToolSpec),
  temperature: z.number().nullable(),
  max_tokens: z.int().nullable(),
  thinking_budget: z.int(),
})
export type ProviderRequest = z.infer<typeof ProviderRequest>

const notBlank = z.string().regex(/\S/)
const members = z.record(z.string(), JsonValue)

const ToolUse = z.object({ type: z.literal("tool_use"), id: notBlank, name: notBlank, input: members.optional() })

/** A block of a model's response. Blocks of other types are ignored. */
export const ProviderBlock = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("thinking"), thinking: z.string(), signature: textOrNull.optional() }),
  ToolUse,
])
export type ProviderBlock = z.infer<typeof ProviderBlock>

/** The result of `provider.complete` and `provider.stream`. */
export const ProviderResult = z.object({
  content: z.array(members),
  stop_reason: textOrNull.optional(),
  usage: JsonValue.optional(),
})
export type ProviderResult = z.infer<typeof ProviderResult>

/** The parameters of `provider.stream.event`, or their member `event`. */
export const ProviderStreamEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), delta: z.string().optional(), text: z.string().optional() }),
  z.object({ type: z.literal("thinking"), delta: z.string().optional(), text: z.string().optional() }),
  ToolUse,
  z.object({ type: z.literal("usage"), usage: JsonValue.optional() }).catchall(JsonValue.optional()),
  z.object({ type: z.literal("error"), message: z.string().min(1) }),
  z.object({ type: z.literal("done") }),
])
export type ProviderStreamEvent = z.infer<typeof ProviderStreamEvent>

const Match = z.strictObject({ input_contains: textOrNull.optional(), input_equals: JsonValue.optional() })
export type Match = z.infer<typeof Match>

const ManifestHook = z.object({ hook: z.string(), tool: textOrNull.optional(), match: Match.nullable().optional() })
export type ManifestHook = z.infer<typeof ManifestHook>

const ConfigEntry = z.object({
  key: z.string(),
  description: textOrNull.optional(),
  type: z.enum(["string", "bool", "number"]).nullable().optional(),
  required: z.boolean().optional(),
  default: JsonValue.optional(),
  secret_env: textOrNull.optional(),
})
export type ConfigEntry = z.infer<typeof ConfigEntry>

/** What a plugin needs beyond its sandbox. `false`: it cannot run in a sandbox. Read by Turnhouse only. */
export const SandboxNeeds = z.union([z.literal(false), z.strictObject({ write: z.array(z.string()).optional() })])
export type SandboxNeeds = z.infer<typeof SandboxNeeds>

/** The `extension` member of `.synaps-plugin/plugin.json`. */
export const ExtensionManifest = z.object({
  protocol_version: z.int().optional(),
  runtime: z.literal("process"),
  command: z.string(),
  args: z.array(z.string()).optional(),
  permissions: z.array(z.string()).optional(),
  hooks: z.array(ManifestHook).optional(),
  config: z.array(ConfigEntry).optional(),
  setup: textOrNull.optional(),
  sandbox: SandboxNeeds.optional(),
})
export type ExtensionManifest = z.infer<typeof ExtensionManifest>

/** Parameters of the calls that an extension may make. */
export const MemoryAppend = z.object({
  namespace: z.string(),
  content: z.string(),
  tags: z.array(z.string()).nullable().optional(),
  meta: JsonValue.optional(),
})
export type MemoryAppend = z.infer<typeof MemoryAppend>

const time = z.number().nullable().optional()
export const MemoryQuery = z.object({
  namespace: z.string(),
  content_contains: textOrNull.optional(),
  tag_prefix: textOrNull.optional(),
  since_ms: time,
  until_ms: time,
  limit: z.int().min(0).nullable().optional(),
})
export type MemoryQuery = z.infer<typeof MemoryQuery>

/** One line of an extension's memory file. */
export const MemoryRecord = z.object({
  namespace: z.string(),
  timestamp_ms: z.number(),
  content: z.string(),
  tags: z.array(z.string()),
  meta: JsonValue,
})
export type MemoryRecord = z.infer<typeof MemoryRecord>

export const ConfigGet = z.object({ key: z.string() })
export type ConfigGet = z.infer<typeof ConfigGet>
export const ConfigSet = z.object({ key: z.string(), value: z.union([z.string(), z.number(), z.boolean()]) })
export type ConfigSet = z.infer<typeof ConfigSet>
