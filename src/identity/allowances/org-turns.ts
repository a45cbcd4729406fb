// Which sessions of this node have a running turn, for the limit of their organisation. A turn counts once: from when its
// message is admitted, and until it ends or waits for a person.
import type { SessionId } from "../../contract/ids.ts"
import { localOrg } from "../principal.ts"

export interface TurnCounter {
  hasRoom(org: string): boolean
  /** By 1 or -1. */
  count(org: string, change: number): void
}

interface Place {
  readonly org: string
  isRunning: boolean
  /** Messages that are being stored. */
  admitted: number
}

export class OrgTurns {
  readonly #counter: TurnCounter
  readonly #places = new Map<SessionId, Place>()

  constructor(counter: TurnCounter) {
    this.#counter = counter
  }

  /**
   * `full`: the organisation has reached its limit. Otherwise call the result when the message is stored or refused. One that
   * waits for another turn of its session is never refused.
   */
  admit(org: string, sessionId: SessionId, waitsForTurn = false): (() => void) | "full" {
    if (org === localOrg) return () => {}
    if (!waitsForTurn && !this.#places.has(sessionId) && !this.#counter.hasRoom(org)) return "full"
    const place = this.#place(org, sessionId)
    place.admitted += 1
    return () => {
      place.admitted -= 1
      this.#removeIfFree(sessionId, place)
    }
  }

  /** Turns that no visitor's message has started count too. */
  setRunning(org: string, sessionId: SessionId, isRunning: boolean): void {
    if (org === localOrg || (!isRunning && !this.#places.has(sessionId))) return
    const place = this.#place(org, sessionId)
    place.isRunning = isRunning
    this.#removeIfFree(sessionId, place)
  }

  #place(org: string, sessionId: SessionId): Place {
    const known = this.#places.get(sessionId)
    if (known !== undefined) return known
    const place = { org, isRunning: false, admitted: 0 }
    this.#places.set(sessionId, place)
    this.#counter.count(org, 1)
    return place
  }

  #removeIfFree(sessionId: SessionId, { org, isRunning, admitted }: Place): void {
    if (isRunning || admitted > 0) return
    this.#places.delete(sessionId)
    this.#counter.count(org, -1)
  }
}
