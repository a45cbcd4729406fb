// How much the model thinks before it answers.
import { command, durable } from "../../contract/define.ts"
import { By, ThinkingLevel } from "../../contract/values.ts"

/** Without `level` the provider's default applies. */
const ThinkingSelected = durable("thinking.selected", 1, { level: ThinkingLevel.optional(), by: By })

/** Applies from the next turn on; without `level` the provider's default applies again. */
const SelectThinking = command("select-thinking", { level: ThinkingLevel.optional() })

export const thinkingContract = {
  events: [ThinkingSelected],
  commands: [SelectThinking],
  refusals: [],
  deltas: [],
} as const
