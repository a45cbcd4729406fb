// The permission that each hook needs, and the actions that it allows.
import type { HookAction, HookKind } from "./frames.ts"
import type { Permission } from "./permissions.ts"

export interface HookRules {
  readonly permission: Permission
  /** Whether a manifest may name a tool. */
  readonly takesTool: boolean
  readonly actions: readonly HookAction["action"][]
  /** The first version of the protocol that has it. */
  readonly since: 1 | 2
}

const aboutTools = { permission: "tools.intercept", takesTool: true, since: 1 } as const
const aboutContent = { permission: "privacy.llm_content", takesTool: false, since: 1 } as const
const aboutSessions = { permission: "session.lifecycle", takesTool: false, since: 1 } as const

export const hookRules: Readonly<Record<HookKind, HookRules>> = {
  before_tool_call: { ...aboutTools, actions: ["continue", "block", "confirm", "modify"] },
  after_tool_call: { ...aboutTools, actions: ["continue", "replace"] },
  before_message: { ...aboutContent, actions: ["continue", "inject"] },
  on_message_complete: { ...aboutContent, actions: ["continue"] },
  on_compaction: { ...aboutContent, actions: ["continue"] },
  on_session_start: { ...aboutSessions, actions: ["continue", "inject"] },
  on_session_end: { ...aboutSessions, actions: ["continue"] },
  on_usage: { ...aboutContent, since: 2, actions: ["continue"] },
}

export function isHookKind(name: string): name is HookKind {
  return Object.hasOwn(hookRules, name)
}
