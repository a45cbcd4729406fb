// `turnhouse/ipc`: a viewer for agents that speak brainwires IPC v2: sessions of Turnhouse or other agents.
export type {
  AgentMessage,
  AgentMetadata,
  DisplayMessage,
  ToolMode,
  ViewerMessage,
} from "../../protocols/ipc/frames.ts"
export { brainwiresFolder } from "../../protocols/ipc/agent-paths.ts"
export type { SlashResult } from "./connection/answers.ts"
export type { MessageOf } from "./viewer-events.ts"
export type { ToolCall } from "./state/tool-calls.ts"
export * from "./faults.ts"
export { isAlive, listAgents } from "./list-agents.ts"
export type { TurnEnd } from "./turns/open-turn.ts"
export type * from "./options.ts"
export type { PlanState } from "./state/plan.ts"
export { emptyState, foldState, type ViewerState } from "./state/state.ts"
export type { ViewerEnd } from "./connection/agent-link.ts"
export { IpcTurnFailed, Turn } from "./turns/turn.ts"
export type { ViewerEvent } from "./viewer-events.ts"
export { Viewer } from "./viewer.ts"
