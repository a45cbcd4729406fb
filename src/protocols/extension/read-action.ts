// What a handler's result asks for. Whoever sends something else has said nothing, with one exception: a `modify`
// without an input meant to change the call, and letting the unchanged one through would be worse than stopping it.
import type { JsonValue } from "../../contract/values.ts"
import type { HookAction, HookKind } from "./frames.ts"
import { checks } from "./generated/frames.js"
import { hookRules } from "./hook-kinds.ts"
import { isObject } from "./receive.ts"

export type ReadAction =
  | { readonly kind: "action"; readonly action: HookAction }
  | { readonly kind: "no-action"; readonly what: string }
  | { readonly kind: "malformed-modify" }

export function readAction(hook: HookKind, result: JsonValue): ReadAction {
  const name = isObject(result) ? result["action"] : undefined
  if (!checks.action(result)) {
    if (name === "modify" && hook === "before_tool_call") return { kind: "malformed-modify" }
    return {
      kind: "no-action",
      what: typeof name === "string" ? `the action ${quoted(name)}` : "a result without an action",
    }
  }
  if (hookRules[hook].actions.includes(result.action)) return { kind: "action", action: result }
  return { kind: "no-action", what: `${result.action}, which ${hook} does not take` }
}

function quoted(name: string): string {
  return `'${name.slice(0, 60)}', unknown or not complete`
}
