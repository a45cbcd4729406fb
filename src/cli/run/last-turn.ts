// Prints a turn that has already ended, as `run` prints a live one.
import type { Recorded } from "../../contract/events.ts"
import type { EventLog } from "../../log/event-log.ts"
import { accepted, exitCodes } from "../../app/app-fault.ts"
import { printJson } from "./print-json.ts"
import type { SessionView } from "./session-view.ts"
import { exitCodeOf, isRefusal } from "./turn-end.ts"
import { TurnPrinter } from "./turn-printer.ts"

const pageSize = 500

/** Returns the exit code of the turn. */
export async function printLastTurn(log: EventLog, view: SessionView, json: boolean): Promise<number> {
  const printer = new TurnPrinter(view)
  let refusedCalls = 0
  let exitCode: number = exitCodes.done
  for await (const recorded of lastTurn(log, view)) {
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

/** All events since the end of the previous turn. */
async function* lastTurn(log: EventLog, { sessionId, state }: SessionView): AsyncGenerator<Recorded> {
  const end = state.turnEnds.at(-1) ?? 0
  for (let seq = state.turnEnds.at(-2) ?? 0; seq < end;) {
    const page = accepted(await log.read(sessionId, seq, Math.min(pageSize, end - seq)))
    yield* page.value
    seq = page.value.at(-1)?.seq ?? end
  }
}
