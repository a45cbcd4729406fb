// How a turn came to its end, as the shell is told.
import type { EventOf } from "../../contract/events.ts"
import { exitCodes } from "../../app/exit-codes.ts"

export interface TurnEnd {
  /** `parked`: it waits for something that only a person can give. `handed over`: the background host finishes it. */
  readonly reason: EventOf<"turn.ended">["reason"] | "parked" | "handed over"
  readonly code?: EventOf<"turn.ended">["code"]
  readonly finish?: EventOf<"turn.ended">["finish"]
  readonly refusedCalls: number
  /** The signal that ended it, if one did. */
  readonly signal: number
}

/** An incomplete answer counts as a failure: a script must not take it for a complete one. */
export function exitCodeOf({ reason, code, finish, refusedCalls, signal }: TurnEnd): number {
  if (signal > 0) return 128 + signal
  if (reason === "interrupted") return exitCodes.interrupted
  if (reason === "handed over") return exitCodes.hungUp
  if (reason === "parked") return exitCodes.refused
  if (code === "provider.unknown") return exitCodes.usage
  if (reason !== "done" || finish !== undefined) return exitCodes.failed
  return refusedCalls > 0 ? exitCodes.refused : exitCodes.done
}

/** A person or a policy said no; a wrong argument is only the model's mistake. */
export function isRefusal({ by }: EventOf<"tool.refused">): boolean {
  return by !== "input" && by !== "tools"
}
