// The interface of a format of answers: it makes of each event the parts that the provider's package makes of it.
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import type { Replay } from "../replay.ts"

export type Part = LanguageModelV4StreamPart

export interface EventMapper {
  /** Appends the parts of the event. False if it is not one of those that are known here: then the package takes over. */
  accept(data: string, parts: Part[]): boolean
  /** Appends what follows the last event. False if only the package knows what that is. */
  end(parts: Part[]): boolean
  /** `waiting`: an error would refuse the call. `accepted`: only one that follows at once. */
  readonly readiness: "waiting" | "accepted" | "ready"
  readonly replay: Replay
}

/** Undefined for a call whose answer only the package can map. */
export type MakeMapper = (
  model: Pick<LanguageModelV4, "provider">,
  options: LanguageModelV4CallOptions,
) => EventMapper | undefined
