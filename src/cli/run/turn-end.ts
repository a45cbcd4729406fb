// Prints a turn that has already ended, as `run` prints a live one.
import type { HomeLog } from "../../app/sessions/sessions.ts"
import type { SessionView } from "../../app/sessions/session-view.ts"
import { storedEvents } from "../../app/sessions/stored-lines.ts"
import { exitCodes } from "../../app/app-fault.ts"
import { printJson } from "../log-lines.ts"
import { openOutput } from "../print/open-output.ts"
import { TurnPrinter } from "../print/turn-printer.ts"
import type { EventOf } from "../../contract/events.ts"

/** All events since the end of the previous turn. Returns the exit code of the turn. */
export async function printLastTurn(log: HomeLog, view: SessionView, json: boolean): Promise<number> {
  const { output } = await openOutput({ notes: process.stderr, use: "stored" })
  const printer = new TurnPrinter(view, output)
  let refusedCalls = 0
  let exitCode: number = exitCodes.done
  const { sessionId, state } = view
  const [previous = 0, end = 0] = [state.turnEnds.at(-2), state.turnEnds.at(-1)]
  for await (const recorded of storedEvents(log, sessionId, previous, end)) {
    const item = { kind: "event", recorded } as const
    if (json) printJson(item)
    else printer.show(item)
    const { event } = recorded
    if (event.type === "tool.refused" && isRefusal(event)) refusedCalls += 1
    if (event.type === "turn.ended") exitCode = exitCodeOf({ ...event, refusedCalls, signal: 0 })
  }
  if (!json) printer.sum()
  return exitCode
}

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
