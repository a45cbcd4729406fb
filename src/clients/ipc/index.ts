// `turnhouse/ipc`: a viewer for agents that speak brainwires IPC v2, Turnhouse's sessions or others.
export type {
  AgentMessage,
  AgentMetadata,
  DisplayMessage,
  ToolMode,
  ViewerMessage,
} from "../../protocols/ipc/frames.ts"
export { brainwiresFolder } from "../../protocols/ipc/agent-paths.ts"
export type { SlashResult } from "./answers.ts"
export type { MessageOf } from "./audience.ts"
export type { ToolCall } from "./calls.ts"
export {
  IpcClosed,
  IpcDenied,
  IpcFault,
  IpcLost,
  IpcMessageTooLarge,
  IpcNoHandshake,
  IpcNotReachable,
  IpcNotReading,
  IpcRefused,
  IpcTimeout,
  type HandshakeRefusal,
} from "./faults.ts"
export { isAlive, listAgents } from "./folder.ts"
export type { TurnEnd } from "./open-turn.ts"
export type { AskOptions, AttachOptions, Place, ReconnectOptions, SayOptions, SpawnOptions } from "./options.ts"
export type { PlanState } from "./plan.ts"
export { emptyState, foldState, type ViewerState } from "./state.ts"
export type { ViewerEnd } from "./tether.ts"
export { IpcTurnFailed, Turn } from "./turn.ts"
export type { ViewerEvent } from "./viewer-event.ts"
export { Viewer } from "./viewer.ts"
