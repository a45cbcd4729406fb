// `turnhouse/rpc`: the parent side of synaps RPC v1. Starts a child, of Turnhouse or another program, and drives it over
// stdin and stdout.
export type { AvailableModel, ChildState, HistoryMessage, SessionStats, ToolEntry } from "./answers.ts"
export * from "./faults.ts"
export type { SubagentEvent, TurnEnd, TurnEvent } from "./open-turn.ts"
export type * from "./options.ts"
export type { ChildEvent } from "./child/read-event.ts"
export { RpcParent, startRpc } from "./rpc-parent.ts"
export { RpcNoText, Turn } from "./turn.ts"
