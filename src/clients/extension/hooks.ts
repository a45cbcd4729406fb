// The actions that a handler can return and the event that it gets, for each hook. Returning nothing means `continue`.
import type { JsonValue } from "../../contract/values.ts"
import type { HookAction, HookKind, HookEvent } from "../../protocols/extension/frames.ts"

/** Besides `continue`, which every hook accepts. */
interface Accepted extends Record<HookKind, HookAction["action"]> {
  before_tool_call: "block" | "confirm" | "modify"
  after_tool_call: "replace"
  before_message: "inject"
  on_message_complete: never
  on_compaction: never
  on_session_start: "inject"
  on_session_end: never
  on_usage: never
}

type Named<Name extends HookAction["action"]> = Extract<HookAction, { readonly action: Name }>

export type ActionOf<Kind extends HookKind> = Named<"continue" | Accepted[Kind]>

/** Continues unchanged. */
export function allow(): Named<"continue"> {
  return { action: "continue" }
}

/** The tool does not run; the model and the users get the reason. */
export function block(reason: string): Named<"block"> {
  return { action: "block", reason }
}

/** Asks for approval; without an approver the call is refused. */
export function confirm(message: string): Named<"confirm"> {
  return { action: "confirm", message }
}

/** The tool runs with this input. */
export function modify(input: JsonValue): Named<"modify"> {
  return { action: "modify", input }
}

/** Adds text for the model: to this request, or to all requests when returned from `on_session_start`. */
export function inject(content: string): Named<"inject"> {
  return { action: "inject", content }
}

/** Replaces the output of the tool. Needs the permission `tools.transform_output`. */
export function replace(output: string): Named<"replace"> {
  return { action: "replace", output }
}

/** On the wire all hooks share one shape with nullable fields. These are the ones that a hook always has, which is
 *  checked before its handler is called. */
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
