// The last line of a turn: how it ended, how long it took, tools, cost and session.
import type { EventOf, Recorded } from "../../contract/events.ts"
import type { SessionStatus } from "../../projection/status.ts"
import { costText, counted, shortId } from "../../display/format.ts"
import { timeText } from "../../display/time-text.ts"

type End = EventOf<"turn.ended">["reason"] | "parked (budget)" | "parked"

/** Follows one turn after another. */
export class TurnSummary {
  #startedAt: number | undefined
  #endedAt: number | undefined
  #end: End | undefined
  #tools = 0

  take({ event, at }: Recorded): void {
    switch (event.type) {
      case "turn.started":
        this.#startedAt = at
        this.#endedAt = undefined
        this.#end = undefined
        this.#tools = 0
        return
      case "tool.started":
        this.#tools += 1
        return
      case "turn.parked":
        this.#endedAt = at
        this.#end = event.why === "budget" ? "parked (budget)" : "parked"
        return
      case "turn.resumed":
        this.#end = undefined
        return
      case "turn.ended":
        this.#endedAt = at
        this.#end = event.reason
        return
      default:
        return // not counted
    }
  }

  /** How long the turn took; undefined if its start was not seen. */
  get ms(): number | undefined {
    const { startedAt, endedAt } = { startedAt: this.#startedAt, endedAt: this.#endedAt }
    return startedAt === undefined || endedAt === undefined ? undefined : Math.max(0, endedAt - startedAt)
  }

  /** Undefined while no turn has ended. `contextShare` from 0 to 1, where it is known. */
  line(sessionId: string, { usage }: Pick<SessionStatus, "usage">, contextShare?: number): string | undefined {
    if (this.#end === undefined) return undefined
    const { ms } = this
    const parts = [
      endText(this.#end, ms === undefined ? undefined : timeText(ms)),
      ...(this.#tools === 0 ? [] : [counted(this.#tools, "tool")]),
      costText(usage.turn),
      ...context(contextShare),
      `session ${shortId(sessionId)}`,
    ]
    return parts.filter((part) => part !== "").join(" · ")
  }
}

function endText(end: End, time: string | undefined): string {
  if (end === "done") return time === undefined ? "done" : `done in ${time}`
  const text = end === "step-limit" ? "stopped at the step limit" : end
  return time === undefined ? text : `${text} after ${time}`
}

/** From the first percent. */
function context(share: number | undefined): readonly string[] {
  const percent = share === undefined || !Number.isFinite(share) ? 0 : Math.round(share * 100)
  return percent < 1 ? [] : [`context ${percent} %`]
}
