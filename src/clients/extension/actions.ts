// What a handler can answer, and which hook takes what. A handler that answers nothing has nothing against it.
import type { JsonValue } from "../../contract/values.ts"
import type { HookAction, HookKind } from "../../protocols/extension/frames.ts"

/** Besides `continue`, which every hook takes. */
interface Taken extends Record<HookKind, HookAction["action"]> {
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

export type ActionOf<Kind extends HookKind> = Named<"continue" | Taken[Kind]>

/** It goes on as if nobody had been asked. */
export function allow(): Named<"continue"> {
  return { action: "continue" }
}

/** The tool does not run; the model and the people read why. */
export function block(reason: string): Named<"block"> {
  return { action: "block", reason }
}

/** A person is asked; nobody to ask is a no. */
export function confirm(message: string): Named<"confirm"> {
  return { action: "confirm", message }
}

/** The tool runs with this input. */
export function modify(input: JsonValue): Named<"modify"> {
  return { action: "modify", input }
}

/** The text goes to the model: with this request, or with every one if the session has just started. */
export function inject(content: string): Named<"inject"> {
  return { action: "inject", content }
}

/** This is what the tool has said. Needs the permission `tools.transform_output`. */
export function replace(output: string): Named<"replace"> {
  return { action: "replace", output }
}
