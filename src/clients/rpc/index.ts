// `turnhouse/rpc`: the parent side of synaps RPC v1. Starts a child, of Turnhouse or another program, and drives it over
// stdin and stdout.
export type { AvailableModel, ChildState, HistoryMessage, SessionStats, ToolEntry } from "./answers.ts"
export {
  RpcBadAnswer,
  RpcChildEnded,
  RpcClosed,
  RpcFault,
  RpcFrameTooLarge,
  RpcNotReading,
  RpcNotStarted,
  RpcRefused,
  RpcTimeout,
  RpcVersionMismatch,
  type ChildEnd,
} from "./faults.ts"
export type { SubagentEvent, TurnEnd, TurnEvent } from "./open-turn.ts"
export type {
  Attachment,
  CommandOptions,
  PromptOptions,
  RestartOptions,
  StartOptions,
  Timeouts,
  TurnOptions,
} from "./options.ts"
export type { ChildEvent } from "./child/read-event.ts"
export { RpcParent, startRpc } from "./rpc-parent.ts"
export { RpcNoText, Turn } from "./turn.ts"
