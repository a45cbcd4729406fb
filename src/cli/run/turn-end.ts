// How a turn ended, and the exit code for it.
import type { EventOf } from "../../contract/events.ts"
import { exitCodes } from "../../app/app-fault.ts"

export interface TurnEnd {
  /** `parked`: it waits for the user. `handed over`: the background host finishes it. */
  readonly reason: EventOf<"turn.ended">["reason"] | "parked" | "handed over"
  readonly code?: EventOf<"turn.ended">["code"]
  readonly finish?: EventOf<"turn.ended">["finish"]
  readonly refusedCalls: number
  /** The signal that ended it, if one did. */
  readonly signal: number
}

/** An incomplete answer is a failure, so that a script does not use it. */
export function exitCodeOf({ reason, code, finish, refusedCalls, signal }: TurnEnd): number {
  if (signal > 0) return 128 + signal
  if (reason === "interrupted") return exitCodes.interrupted
  if (reason === "handed over") return exitCodes.hungUp
  if (reason === "parked") return exitCodes.refused
  if (code === "provider.unknown") return exitCodes.usage
  if (reason !== "done" || finish !== undefined) return exitCodes.failed
  return refusedCalls > 0 ? exitCodes.refused : exitCodes.done
}

/** The user or a policy refused; a wrong argument is the model's mistake. */
export function isRefusal({ by }: EventOf<"tool.refused">): boolean {
  return by !== "input" && by !== "tools"
}
