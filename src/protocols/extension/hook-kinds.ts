// The permission that each hook needs, the actions that it allows, and the action that a hook's result asks for.
import type { HookAction, HookKind } from "./frames.ts"
import type { Permission } from "./permissions.ts"
import { memberIn } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import { checks } from "./generated/frames.js"

export interface HookRules {
  readonly permission: Permission
  /** Whether a manifest may name a tool. */
  readonly takesTool: boolean
  readonly actions: readonly HookAction["action"][]
  /** The first version of the protocol that has it. */
  readonly since: 1 | 2
}

const toolHook = { permission: "tools.intercept", takesTool: true, since: 1 } as const
const contentHook = { permission: "privacy.llm_content", takesTool: false, since: 1 } as const
const sessionHook = { permission: "session.lifecycle", takesTool: false, since: 1 } as const

export const hookRules: Readonly<Record<HookKind, HookRules>> = {
  before_tool_call: { ...toolHook, actions: ["continue", "block", "confirm", "modify"] },
  after_tool_call: { ...toolHook, actions: ["continue", "replace"] },
  before_message: { ...contentHook, actions: ["continue", "inject"] },
  on_message_complete: { ...contentHook, actions: ["continue"] },
  on_compaction: { ...contentHook, actions: ["continue"] },
  on_session_start: { ...sessionHook, actions: ["continue", "inject"] },
  on_session_end: { ...sessionHook, actions: ["continue"] },
  on_usage: { ...contentHook, since: 2, actions: ["continue"] },
}

export function isHookKind(name: string): name is HookKind {
  return Object.hasOwn(hookRules, name)
}

type ReadAction =
  | { readonly kind: "action"; readonly action: HookAction }
  | { readonly kind: "no-action"; readonly problem: string }
  | { readonly kind: "malformed-modify" }

const MAX_SHOWN_NAME = 60

/**
 * An invalid result counts as no action, with one exception: a `modify` without input meant to change the call, so letting
 * the unchanged call run would be worse than stopping it.
 */
export function readAction(hook: HookKind, result: JsonValue): ReadAction {
  if (!checks.action(result)) return invalid(hook, memberIn(result, "action"))
  if (hookRules[hook].actions.includes(result.action)) return { kind: "action", action: result }
  return { kind: "no-action", problem: `${result.action}, which ${hook} does not allow` }
}

function invalid(hook: HookKind, name: JsonValue | undefined): ReadAction {
  if (name === "modify" && hook === "before_tool_call") return { kind: "malformed-modify" }
  if (typeof name !== "string") return { kind: "no-action", problem: "a result without an action" }
  return { kind: "no-action", problem: `the action '${name.slice(0, MAX_SHOWN_NAME)}', unknown or incomplete` }
}
