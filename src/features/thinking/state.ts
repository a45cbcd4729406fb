import type { ThinkingLevel } from "../../contract/values.ts"

export interface ThinkingState {
  /** Absent where the provider's default applies. */
  readonly thinking: ThinkingLevel | undefined
  /** As it was when the open turn started: a provider may refuse a change between two steps of a turn. */
  readonly turnThinking: ThinkingLevel | undefined
}
