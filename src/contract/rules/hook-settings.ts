// Names and shape of the shell hooks in the configuration.
import type { Config } from "../config.ts"

type HookSettings = NonNullable<Config["hooks"]>
export type HookName = keyof HookSettings
export type HookEntry = NonNullable<HookSettings[HookName]>[number]

const names: Readonly<Record<HookName, true>> = {
  PreToolUse: true,
  PostToolUse: true,
  UserPromptSubmit: true,
  Stop: true,
  SessionStart: true,
  SessionEnd: true,
}

export const hookNames: readonly HookName[] = Object.keys(names).filter(isHookName)

export function isHookName(name: string): name is HookName {
  return Object.hasOwn(names, name)
}
