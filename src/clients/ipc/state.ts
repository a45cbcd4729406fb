// What a viewer knows of its agent, as one fold over the agent's messages: everything a screen needs to be drawn. Pure.
// Whoever comes in the middle of a turn ends up with the same as somebody who was there from its start, except for what
// the protocol never repeats (calls, toasts, errors). Nothing in it grows without a limit.
import type { AgentMessage, AgentMetadata, DisplayMessage, LockInfo, ToolMode } from "../../protocols/ipc/frames.ts"
import { began, ended, progressed, type ToolCall } from "./calls.ts"
import { longestText } from "./chunks.ts"
import { added, kept, noMessages, type Messages } from "./messages.ts"
import { foldPlan, type PlanState } from "./plan.ts"

export interface ViewerState {
  readonly sessionId: string
  readonly model: string
  readonly messages: readonly DisplayMessage[]
  /** The agent has older ones that are not kept here. */
  readonly hasEarlier: boolean
  /** What the running turn has said so far. Its message comes when it is over. */
  readonly partial: string
  /** For people only: nothing may be read from it. */
  readonly status: string
  readonly isBusy: boolean
  readonly toolMode: ToolMode
  readonly mcpServers: readonly string[]
  readonly tasks: { readonly tree: string; readonly count: number; readonly completed: number }
  /** Of the running or the last turn, as far as they were seen. */
  readonly calls: readonly ToolCall[]
  /** As they were last listed. */
  readonly agents: readonly AgentMetadata[]
  /** Spawned by this agent while it was watched, and not yet gone. */
  readonly children: readonly string[]
  readonly locks: readonly LockInfo[]
  readonly plan: PlanState | undefined
  readonly seal: { readonly isEnabled: boolean; readonly entities: number; readonly quality: number }
  /** The newest last. */
  readonly toasts: readonly { readonly message: string; readonly durationMs: number }[]
  readonly errors: readonly string[]
  /** Why the agent left. */
  readonly exiting: string | undefined
  /** How far it is in the row of messages that greets a viewer: sync, tasks, seal. */
  readonly greeting: 0 | 1 | 2
  /** The turn has ended; its message may still come. */
  readonly hasEnded: boolean
}

const mostNews = 20
const mostAgents = 1000
const mostLocks = 1000

export const emptyState: ViewerState = {
  sessionId: "",
  model: "",
  ...shown(noMessages),
  partial: "",
  status: "",
  isBusy: false,
  toolMode: "Smart",
  mcpServers: [],
  tasks: { tree: "", count: 0, completed: 0 },
  calls: [],
  agents: [],
  children: [],
  locks: [],
  plan: undefined,
  seal: { isEnabled: false, entities: 0, quality: 1 },
  toasts: [],
  errors: [],
  exiting: undefined,
  greeting: 0,
  hasEnded: true,
}

/** After a whole greeting the text of the running turn is told from its beginning, also to those who had some of it. */
export function endsGreeting({ greeting }: ViewerState, message: AgentMessage): boolean {
  return greeting === 2 && message.type === "seal_status"
}

export function foldState(before: ViewerState, message: AgentMessage): ViewerState {
  const { greeting } = before
  const state = greeting === 0 ? before : { ...before, greeting: 0 as const }
  switch (message.type) {
    case "conversation_sync":
      return synced(state, message)
    case "task_update": {
      const { task_tree: tree, task_count: count, completed_count: completed } = message
      return { ...state, tasks: { tree, count, completed }, greeting: greeting === 1 ? 2 : 0 }
    }
    case "seal_status": {
      const seal = { isEnabled: message.enabled, entities: message.entity_count, quality: message.quality_score }
      return endsGreeting(before, message) ? { ...state, seal, partial: "", plan: undefined } : { ...state, seal }
    }
    case "stream_chunk":
      return { ...running(state), partial: (state.partial + message.text).slice(-longestText) }
    case "stream_end":
      return { ...state, isBusy: false, hasEnded: true }
    case "message_added":
      return withMessage(state, message.message)
    case "tool_call_start":
      return { ...running(state), calls: began(state.calls, message) }
    case "tool_progress":
      return { ...state, calls: progressed(state.calls, message) }
    case "tool_result":
      return { ...state, calls: ended(state.calls, message) }
    case "status_update":
      return { ...state, status: message.status }
    case "toast":
      return { ...state, toasts: news(state.toasts, { message: message.message, durationMs: message.duration_ms }) }
    case "error":
      return { ...state, errors: news(state.errors, message.message) }
    case "exiting":
      return { ...state, exiting: message.reason, isBusy: false }
    case "agent_list":
      return { ...state, agents: message.agents.slice(0, mostAgents) }
    case "agent_spawned":
      return withChild(state, message)
    case "agent_exiting":
      return { ...state, children: state.children.filter((id) => id !== message.session_id) }
    case "lock_status":
      return { ...state, locks: message.locks.slice(0, mostLocks) }
    case "lock_changed": {
      const others = state.locks.filter((lock) => !isSameLock(lock, message.lock))
      return { ...state, locks: message.change === "acquired" ? [...others, message.lock].slice(-mostLocks) : others }
    }
    case "plan_mode_entered":
    case "plan_mode_exited":
    case "plan_mode_sync":
    case "plan_mode_message_added":
    case "plan_mode_stream_chunk":
    case "plan_mode_stream_end":
      return { ...state, plan: foldPlan(state.plan, message) }
    case "ack":
    case "slash_command_result":
    case "lock_result":
    case "lock_released":
    case "parent_signal_received":
      return state // answers, for whoever asked
  }
}

type Sync = Extract<AgentMessage, { type: "conversation_sync" }>

/** A sync never holds the text that is being written. It says whether something runs, and no other message does. */
function synced(state: ViewerState, sync: Sync): ViewerState {
  return {
    ...state,
    sessionId: sync.session_id,
    model: sync.model,
    ...shown(kept(sync.messages)),
    partial: sync.is_busy ? state.partial : "",
    calls: sync.is_busy ? state.calls : [],
    status: sync.status,
    isBusy: sync.is_busy,
    toolMode: sync.tool_mode,
    mcpServers: sync.mcp_servers,
    greeting: 1,
    hasEnded: !sync.is_busy,
  }
}

/** Words of a user begin a turn, or slip into the one that runs. */
function withMessage(state: ViewerState, message: DisplayMessage): ViewerState {
  const next = { ...state, ...shown(added(state, message)) }
  if (message.role === "assistant") return { ...next, partial: "" }
  return message.role === "user" ? { ...next, ...running(next) } : next
}

function running(state: ViewerState): ViewerState {
  if (!state.hasEnded) return state.isBusy ? state : { ...state, isBusy: true }
  return { ...state, isBusy: true, hasEnded: false, partial: "", calls: [] }
}

type Spawned = Extract<AgentMessage, { type: "agent_spawned" }>

function withChild(state: ViewerState, { new_session_id: id, parent_session_id: parent }: Spawned): ViewerState {
  if (parent !== state.sessionId || state.children.includes(id)) return state
  return { ...state, children: [...state.children, id].slice(-mostAgents) }
}

function shown({ messages, hasEarlier }: Messages): Messages {
  return { messages, hasEarlier }
}

function news<Item>(items: readonly Item[], item: Item): readonly Item[] {
  return [...items, item].slice(-mostNews)
}

function isSameLock(one: LockInfo, other: LockInfo): boolean {
  return one.resource_type === other.resource_type && one.scope === other.scope && one.agent_id === other.agent_id
}
