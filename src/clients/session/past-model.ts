// The session at an earlier event: the same fold as that of the window, up to there.
import type { Recorded } from "../../contract/events.ts"
import type { SessionHandle } from "../../contract/host-port.ts"
import { noRequests } from "../../projection/open-requests.ts"
import { noStatus } from "../../projection/status.ts"
import { LiveText } from "./live-text.ts"
import { foldItem, type SessionModel } from "./session-model.ts"

/** Events that a timeline has, from the first turn that the window has read. */
export const MAX_EVENTS = 50_000

/** Events after `start`, up to `end`, which must exist. Nothing is watched afterwards. Over a connection they come after
 *  the watch has begun. */
export async function eventsBetween(handle: SessionHandle, start: number, end: number): Promise<readonly Recorded[]> {
  if (end <= start) return []
  const events: Recorded[] = []
  const stop = new AbortController()
  const complete = Promise.withResolvers<void>()
  const finish = () => {
    stop.abort()
    complete.resolve()
  }
  const unwatch = await handle.watch(
    start,
    (item) => {
      if (item.kind === "lost") finish()
      if (item.kind !== "event" || item.recorded.seq > end || stop.signal.aborted) return
      events.push(item.recorded)
      if (item.recorded.seq >= end || events.length >= MAX_EVENTS) finish()
    },
    stop.signal,
  )
  await complete.promise
  unwatch()
  return events
}

/** Folds forward from where it is; a step back begins again. */
export class PastModel {
  readonly #now: SessionModel
  readonly #events: readonly Recorded[]
  #count = 0
  #model: SessionModel

  constructor(now: SessionModel, events: readonly Recorded[]) {
    this.#now = now
    this.#events = events
    this.#model = emptyAt(now)
  }

  /** After the first `count` events. */
  at(count: number): SessionModel {
    if (count < this.#count) {
      this.#model = emptyAt(this.#now)
      this.#count = 0
    }
    for (const recorded of this.#events.slice(this.#count, count))
      this.#model = foldItem(this.#model, { kind: "event", recorded })
    this.#count = count
    return this.#model
  }
}

function emptyAt(now: SessionModel): SessionModel {
  return {
    ...now,
    seq: now.start,
    transcript: { items: [], turn: undefined, planId: undefined },
    status: { ...noStatus, cwd: now.status.cwd, model: now.status.model },
    requests: noRequests,
    tasks: [],
    live: new LiveText(),
    outputs: new Map(),
  }
}
