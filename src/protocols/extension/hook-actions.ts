// The action that a hook's result asks for. An invalid result counts as no action, with one exception: a `modify` without
// input meant to change the call, so letting the unchanged call run would be worse than stopping it.
import { memberIn } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { HookAction, HookKind } from "./frames.ts"
import { checks } from "./generated/frames.js"
import { hookRules } from "./hook-kinds.ts"

export type ReadAction =
  | { readonly kind: "action"; readonly action: HookAction }
  | { readonly kind: "no-action"; readonly what: string }
  | { readonly kind: "malformed-modify" }

const MAX_SHOWN_NAME = 60

export function readAction(hook: HookKind, result: JsonValue): ReadAction {
  if (!checks.action(result)) return invalid(hook, memberIn(result, "action"))
  if (hookRules[hook].actions.includes(result.action)) return { kind: "action", action: result }
  return { kind: "no-action", what: `${result.action}, which ${hook} does not allow` }
}

function invalid(hook: HookKind, name: JsonValue | undefined): ReadAction {
  if (name === "modify" && hook === "before_tool_call") return { kind: "malformed-modify" }
  if (typeof name !== "string") return { kind: "no-action", what: "a result without an action" }
  return { kind: "no-action", what: `the action '${name.slice(0, MAX_SHOWN_NAME)}', unknown or incomplete` }
}
