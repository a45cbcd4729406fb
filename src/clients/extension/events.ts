// The event type of each hook. On the wire all hooks share one shape with nullable fields; here the fields that a hook
// always has are not nullable, which is checked before the handler is called.
import type { HookEvent, HookKind } from "../../protocols/extension/frames.ts"

type Field = "message" | "session_id" | "tool_name" | "tool_output" | "tool_runtime_name" | "transcript"

const neverNull = {
  before_tool_call: ["tool_name", "tool_runtime_name"],
  after_tool_call: ["tool_name", "tool_runtime_name", "tool_output"],
  before_message: ["message"],
  on_message_complete: ["message"],
  on_compaction: ["message"],
  on_session_start: ["session_id"],
  on_session_end: ["session_id", "transcript"],
  on_usage: [],
} as const satisfies Record<HookKind, readonly Field[]>

type NeverNull<Kind extends HookKind> = (typeof neverNull)[Kind][number]

export type EventOf<Kind extends HookKind> = HookEvent & { readonly kind: Kind } & {
  readonly [Name in NeverNull<Kind>]: NonNullable<HookEvent[Name]>
}

export function isEventOf<Kind extends HookKind>(event: HookEvent, kind: Kind): event is EventOf<Kind> {
  const fields: readonly Field[] = neverNull[kind]
  return event.kind === kind && fields.every((name) => event[name] !== null)
}
