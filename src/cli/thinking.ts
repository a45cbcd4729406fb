// Reads `--thinking LEVEL`.
import { isThinkingLevel, thinkingLevels } from "../contract/rules/thinking.ts"
import type { ThinkingLevel } from "../contract/values.ts"
import { usageFault } from "../app/app-fault.ts"
import type { Args } from "./command.ts"

export function thinkingOf(args: Args): ThinkingLevel | undefined {
  const level = args.text("thinking")
  if (level === undefined || isThinkingLevel(level)) return level
  throw usageFault(`--thinking: '${level}' is not a level. Use one of: ${thinkingLevels.join(", ")}.`)
}
