// Counters of the running server, from the events of its sessions. The metrics library is loaded on the first request.
import type { EventOf, SessionEvent } from "../../contract/events.ts"
import type { WatchItem } from "../../contract/host-port.ts"
import type { SessionHost } from "../../host/session-host.ts"
import type { SessionActor } from "../../runner/session-actor.ts"

export type TurnEnd = EventOf<"turn.ended">["reason"]

/** Observations since the last request for metrics. The oldest are dropped. */
const MAX_OBSERVATIONS = 10_000

export class Meters {
  readonly turns: Record<TurnEnd, number> = { done: 0, interrupted: 0, failed: 0, "step-limit": 0 }
  readonly tokens = { input: 0, output: 0 }
  costUsd = 0
  connections = 0
  /** Seconds from the start of a turn to its first token, since the last request for metrics. */
  #firstTokens: number[] = []
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  attend(host: SessionHost): () => void {
    return host.onSession((session) => this.#attend(session))
  }

  takeFirstTokens(): readonly number[] {
    const seconds = this.#firstTokens
    this.#firstTokens = []
    return seconds
  }

  #attend(session: SessionActor): void {
    let startedAt: number | undefined
    session.watch((item) => {
      if (item.kind === "delta" && item.delta.type === "text.delta" && startedAt !== undefined) {
        this.#observeFirstToken((this.#now() - startedAt) / 1000)
        startedAt = undefined
      }
      if (item.kind === "event" && item.recorded.event.type === "turn.started") startedAt = item.recorded.at
      this.#count(item)
    })
  }

  #observeFirstToken(seconds: number): void {
    if (this.#firstTokens.length >= MAX_OBSERVATIONS) this.#firstTokens.shift()
    this.#firstTokens.push(seconds)
  }

  #count(item: WatchItem): void {
    if (item.kind !== "event") return
    const { event } = item.recorded
    if (event.type === "turn.ended") this.turns[event.reason] += 1
    for (const { usage, costUsd } of callsIn(event)) {
      this.tokens.input += usage?.input ?? 0
      this.tokens.output += usage?.output ?? 0
      this.costUsd += costUsd ?? 0
    }
  }
}

/** Usage and cost of each model call in the event. */
function callsIn(event: SessionEvent): readonly Pick<EventOf<"response.ended">, "usage" | "costUsd">[] {
  if (event.type === "workflow.judged" || event.type === "sampling.ended") return [event]
  if (event.type !== "response.ended") return []
  return event.aside === undefined ? [event] : [event, event.aside]
}
