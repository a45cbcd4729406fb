// Brainwires IPC v2: the frames of a viewer and of an agent, one JSON object per line. The door and the viewer library
// check lines with code generated from here. An option may be absent or null; unknown fields are ignored.
import { z } from "zod"
import { JsonValue, LockType } from "../../contract/values.ts"

const text = z.string()
const texts = z.array(z.string())
const option = z.string().nullish()
const flag = z.boolean()
const count = z.int().min(0)
/** Unsigned, 32 bits. */
const u32 = z.int().min(0).max(0xffff_ffff)

function frame<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.object({ type: z.literal(type), ...shape }).meta({ title: type })
}

/** The only names in this protocol that are not snake_case. */
export const ToolMode = z.union([z.enum(["Full", "Smart", "Core", "None"]), z.strictObject({ Explicit: texts })])
export type ToolMode = z.infer<typeof ToolMode>

export const LockInfo = z.object({
  agent_id: text,
  resource_type: LockType,
  scope: text,
  description: text,
  status: text,
  held_for_secs: count,
})
export type LockInfo = z.infer<typeof LockInfo>

/** A message as a viewer shows it. `created_at` is in milliseconds since 1970; some agents send seconds. */
export const DisplayMessage = z.object({ role: text, content: text, created_at: z.int() })
export type DisplayMessage = z.infer<typeof DisplayMessage>

/** The content of `ID.meta.json` beside a socket, and an entry of a list of agents. Times are in seconds since 1970. */
export const AgentMetadata = z.object({
  session_id: text,
  parent_agent_id: option,
  spawn_reason: option,
  model: text,
  created_at: z.int(),
  last_activity: z.int(),
  working_directory: text,
  is_busy: flag,
  pid: u32.nullish(),
})
export type AgentMetadata = z.infer<typeof AgentMetadata>

/** Declared by the protocol; never sent. */
export const AgentConfig = z.object({
  session_id: text,
  model: text,
  mdap_enabled: flag,
  seal_enabled: flag,
  working_directory: text,
})
export type AgentConfig = z.infer<typeof AgentConfig>

/** The first line of a viewer. */
export const Handshake = z.object({ version: u32, is_reattach: flag, session_id: option, session_token: option })
export type Handshake = z.infer<typeof Handshake>

/** The first line of an agent. */
export const HandshakeResponse = z.object({ accepted: flag, session_id: text, session_token: option, error: option })
export type HandshakeResponse = z.infer<typeof HandshakeResponse>

const lock = { resource_type: LockType, scope: text }
const signal = { signal: z.enum(["parent_exiting", "shutdown", "detached"]), parent_session_id: text }
/** May be absent, but not null. */
const contextFiles = texts.optional()

export const ViewerMessage = z.discriminatedUnion("type", [
  frame("user_input", { content: text, context_files: contextFiles }),
  frame("cancel", {}),
  frame("sync_request", {}),
  frame("detach", { exit_when_done: flag }),
  frame("exit", {}),
  frame("slash_command", { command: text, args: texts }),
  frame("set_tool_mode", { mode: ToolMode }),
  frame("queue_message", { content: text }),
  frame("acquire_lock", { ...lock, description: text }),
  frame("release_lock", lock),
  frame("query_locks", { scope: option }),
  frame("update_lock_status", { ...lock, status: text }),
  frame("list_agents", {}),
  frame("spawn_agent", { model: option, reason: option, working_directory: option }),
  frame("notify_children", { action: z.enum(["shutdown_if_idle", "force_shutdown", "detach"]) }),
  frame("parent_signal", signal),
  frame("disconnect", {}),
  frame("enter_plan_mode", { focus: option }),
  frame("exit_plan_mode", {}),
  frame("plan_mode_user_input", { content: text, context_files: contextFiles }),
  frame("plan_mode_sync_request", {}),
])
export type ViewerMessage = z.infer<typeof ViewerMessage>
export type ViewerMessages = {
  [Type in ViewerMessage["type"]]: Extract<ViewerMessage, { type: Type }> & { type: Type }
}
export type MessageOf<Type extends ViewerMessage["type"]> = ViewerMessages[Type]

const messages = z.array(DisplayMessage)

export const AgentMessage = z.discriminatedUnion("type", [
  frame("stream_chunk", { text }),
  frame("stream_end", { finish_reason: option }),
  frame("tool_call_start", { id: text, name: text, server: option, input: JsonValue }),
  /** `progress` is from 0 to 1. */
  frame("tool_progress", { name: text, message: text, progress: z.number().nullish() }),
  /** Either `output` or `error` is a string. */
  frame("tool_result", { id: text, name: text, output: option, error: option }),
  frame("conversation_sync", {
    session_id: text,
    model: text,
    messages,
    status: text,
    is_busy: flag,
    tool_mode: ToolMode,
    mcp_servers: texts,
  }),
  frame("message_added", { message: DisplayMessage }),
  frame("status_update", { status: text }),
  frame("task_update", { task_tree: text, task_count: count, completed_count: count }),
  frame("error", { message: text, fatal: flag }),
  frame("exiting", { reason: text }),
  frame("ack", { command: text }),
  /** The only options that are left out instead of written as null. */
  frame("slash_command_result", {
    command: text,
    success: flag,
    output: option,
    action_taken: option,
    error: option,
    blocked: flag.optional(),
  }),
  frame("toast", { message: text, duration_ms: count }),
  frame("seal_status", { enabled: flag, entity_count: count, last_resolution: option, quality_score: z.number() }),
  frame("lock_result", { success: flag, ...lock, error: option, blocking_agent: option }),
  frame("lock_released", lock),
  frame("lock_status", { locks: z.array(LockInfo) }),
  frame("lock_changed", { change: z.enum(["acquired", "released", "stale"]), lock: LockInfo }),
  frame("agent_spawned", { new_session_id: text, parent_session_id: text, spawn_reason: text, model: text }),
  frame("agent_list", { agents: z.array(AgentMetadata) }),
  frame("agent_exiting", { session_id: text, reason: text, children_notified: texts }),
  frame("parent_signal_received", signal),
  frame("plan_mode_entered", { plan_session_id: text, messages, status: text }),
  frame("plan_mode_exited", { summary: option }),
  frame("plan_mode_sync", {
    plan_session_id: text,
    main_session_id: text,
    messages,
    status: text,
    is_busy: flag,
  }),
  frame("plan_mode_message_added", { message: DisplayMessage }),
  frame("plan_mode_stream_chunk", { text }),
  frame("plan_mode_stream_end", { finish_reason: option }),
])
export type AgentMessage = z.infer<typeof AgentMessage>
