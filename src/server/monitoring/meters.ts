// What is counted while the server runs, from the events of its sessions. Plain numbers: the library that prints them
// is loaded when somebody first asks for them.
import type { EventOf, SessionEvent } from "../../contract/events.ts"
import type { WatchItem } from "../../contract/host-port.ts"
import type { SessionHost } from "../../host/session-host.ts"
import type { SessionActor } from "../../runner/session-actor.ts"

export type TurnEnd = EventOf<"turn.ended">["reason"]

/** Observations that nobody has asked for yet; the oldest are given up. */
const mostObservations = 10_000

export class Meters {
  readonly turns: Record<TurnEnd, number> = { done: 0, interrupted: 0, failed: 0, "step-limit": 0 }
  readonly tokens = { input: 0, output: 0 }
  costUsd = 0
  connections = 0
  /** Seconds from a message to the first word of its answer, since they were last asked for. */
  #firstWords: number[] = []
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  attend(host: SessionHost): () => void {
    return host.attend((session) => this.#attend(session))
  }

  takeFirstWords(): readonly number[] {
    const taken = this.#firstWords
    this.#firstWords = []
    return taken
  }

  #attend(session: SessionActor): void {
    let askedAt: number | undefined
    session.watch((item) => {
      if (item.kind === "delta" && item.delta.type === "text.delta" && askedAt !== undefined) {
        this.#firstWord((this.#now() - askedAt) / 1000)
        askedAt = undefined
      }
      if (item.kind === "event" && item.recorded.event.type === "turn.started") askedAt = item.recorded.at
      this.#count(item)
    })
  }

  #firstWord(seconds: number): void {
    if (this.#firstWords.length >= mostObservations) this.#firstWords.shift()
    this.#firstWords.push(seconds)
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

/** What was asked of models, each with what it used. */
function callsIn(event: SessionEvent): readonly Pick<EventOf<"response.ended">, "usage" | "costUsd">[] {
  if (event.type === "workflow.judged") return [event]
  if (event.type !== "response.ended") return []
  return event.aside === undefined ? [event] : [event, event.aside]
}
