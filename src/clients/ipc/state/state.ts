// Fold of an agent's messages into everything a screen shows. Pure and bounded. A viewer that joins mid-turn ends with
// the same state as one that was there from the start, except for what the protocol never repeats (calls, toasts, errors).
import type { AgentMessage, AgentMetadata, DisplayMessage, LockInfo, ToolMode } from "../../../protocols/ipc/frames.ts"
import { addCall, addProgress, addResult, type ToolCall } from "./tool-calls.ts"
import { addMessage, newestOf, noMessages, appendText } from "./messages.ts"
import { foldPlan, type PlanState } from "./plan.ts"

export interface ViewerState {
  readonly sessionId: string
  readonly model: string
  readonly messages: readonly DisplayMessage[]
  /** The agent has older messages. */
  readonly hasEarlier: boolean
  /** Text of the running turn so far. Its message follows at the end. */
  readonly partial: string
  /** For display only. */
  readonly status: string
  readonly isBusy: boolean
  readonly toolMode: ToolMode
  readonly mcpServers: readonly string[]
  readonly tasks: { readonly tree: string; readonly count: number; readonly completed: number }
  /** Of the running or last turn, as far as this viewer has seen them. */
  readonly calls: readonly ToolCall[]
  /** From the newest `agent_list`. */
  readonly agents: readonly AgentMetadata[]
  /** Running sub-agents that this viewer saw start. */
  readonly children: readonly string[]
  readonly locks: readonly LockInfo[]
  readonly plan: PlanState | undefined
  readonly seal: { readonly isEnabled: boolean; readonly entities: number; readonly quality: number }
  /** Newest last. */
  readonly toasts: readonly { readonly message: string; readonly durationMs: number }[]
  readonly errors: readonly string[]
  /** Why the agent ended. */
  readonly exiting: string | undefined
  /** Position in the messages that every new viewer gets: sync, tasks, seal. */
  readonly greeting: 0 | 1 | 2
  /** The turn has ended; its message may follow. */
  readonly hasEnded: boolean
}

const MAX_NOTICES = 20
const MAX_AGENTS = 1000
const MAX_LOCKS = 1000

export const emptyState: ViewerState = {
  sessionId: "",
  model: "",
  ...noMessages,
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

/** After a whole greeting the agent sends the text of the running turn from its beginning. */
export function endsGreeting({ greeting }: ViewerState, message: AgentMessage): boolean {
  return greeting === 2 && message.type === "seal_status"
}

export function foldState(before: ViewerState, message: AgentMessage): ViewerState {
  const { greeting } = before
  const state = greeting === 0 ? before : { ...before, greeting: 0 as const }
  switch (message.type) {
    case "conversation_sync":
      return foldSync(state, message)
    case "task_update": {
      const { task_tree: tree, task_count: count, completed_count: completed } = message
      return { ...state, tasks: { tree, count, completed }, greeting: greeting === 1 ? 2 : 0 }
    }
    case "seal_status": {
      const seal = { isEnabled: message.enabled, entities: message.entity_count, quality: message.quality_score }
      return endsGreeting(before, message) ? { ...state, seal, partial: "", plan: undefined } : { ...state, seal }
    }
    case "stream_chunk":
      return { ...startTurn(state), partial: appendText(state.partial, message.text) }
    case "stream_end":
      return { ...state, isBusy: false, hasEnded: true }
    case "message_added":
      return foldMessage(state, message.message)
    case "tool_call_start":
      return { ...startTurn(state), calls: addCall(state.calls, message) }
    case "tool_progress":
      return { ...state, calls: addProgress(state.calls, message) }
    case "tool_result":
      return { ...state, calls: addResult(state.calls, message) }
    case "status_update":
      return { ...state, status: message.status }
    case "toast":
      return {
        ...state,
        toasts: appendBounded(state.toasts, { message: message.message, durationMs: message.duration_ms }),
      }
    case "error":
      return { ...state, errors: appendBounded(state.errors, message.message) }
    case "exiting":
      return { ...state, exiting: message.reason, isBusy: false }
    case "agent_list":
      return { ...state, agents: message.agents.slice(0, MAX_AGENTS) }
    case "agent_spawned":
      return foldSpawned(state, message)
    case "agent_exiting":
      return { ...state, children: state.children.filter((id) => id !== message.session_id) }
    case "lock_status":
      return { ...state, locks: message.locks.slice(0, MAX_LOCKS) }
    case "lock_changed": {
      const others = state.locks.filter((lock) => !isSameLock(lock, message.lock))
      return { ...state, locks: message.change === "acquired" ? [...others, message.lock].slice(-MAX_LOCKS) : others }
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
      return state // answers to requests
  }
}

type Sync = Extract<AgentMessage, { type: "conversation_sync" }>

/** A sync has no partial text. It is the only message that says whether a turn runs. */
function foldSync(state: ViewerState, sync: Sync): ViewerState {
  return {
    ...state,
    sessionId: sync.session_id,
    model: sync.model,
    ...newestOf(sync.messages),
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

/** A user message starts a turn or steers the running one. */
function foldMessage(state: ViewerState, message: DisplayMessage): ViewerState {
  const next = { ...state, ...addMessage(state, message) }
  if (message.role === "assistant") return { ...next, partial: "" }
  return message.role === "user" ? startTurn(next) : next
}

function startTurn(state: ViewerState): ViewerState {
  if (!state.hasEnded) return state.isBusy ? state : { ...state, isBusy: true }
  return { ...state, isBusy: true, hasEnded: false, partial: "", calls: [] }
}

type Spawned = Extract<AgentMessage, { type: "agent_spawned" }>

function foldSpawned(state: ViewerState, { new_session_id: id, parent_session_id: parent }: Spawned): ViewerState {
  if (parent !== state.sessionId || state.children.includes(id)) return state
  return { ...state, children: [...state.children, id].slice(-MAX_AGENTS) }
}

function appendBounded<Item>(items: readonly Item[], item: Item): readonly Item[] {
  return [...items, item].slice(-MAX_NOTICES)
}

function isSameLock(one: LockInfo, other: LockInfo): boolean {
  return one.resource_type === other.resource_type && one.scope === other.scope && one.agent_id === other.agent_id
}
