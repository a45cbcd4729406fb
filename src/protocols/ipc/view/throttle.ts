// Limits how often frames of a kind are sent. The newest of its kind is held until it is due, so that the last state is
// always sent; those it replaces are left out.
import type { AgentMessage } from "../frames.ts"

interface Kind {
  readonly everyMs: number
  nextAt: number
  held: (() => AgentMessage) | undefined
}

const nothing: readonly AgentMessage[] = []

export class Throttle {
  readonly #kinds = new Map<string, Kind>()

  /** When the next held frame is due. */
  get dueAt(): number | undefined {
    let dueAt: number | undefined
    for (const { nextAt, held } of this.#kinds.values())
      if (held !== undefined && (dueAt === undefined || nextAt < dueAt)) dueAt = nextAt
    return dueAt
  }

  /** The frame is made when it is sent. */
  offer(name: string, everyMs: number, now: number, frame: () => AgentMessage): readonly AgentMessage[] {
    const kind = this.#kinds.get(name)
    const mustWait = kind !== undefined && now < kind.nextAt && kind.nextAt - now <= everyMs // the clock may go back
    if (mustWait) {
      kind.held = frame
      return []
    }
    this.#kinds.set(name, { everyMs, nextAt: now + everyMs, held: undefined })
    return [frame()]
  }

  /** Drops a held frame that is no longer true. */
  discard(name: string): void {
    const kind = this.#kinds.get(name)
    if (kind !== undefined) kind.held = undefined
  }

  due(now: number): readonly AgentMessage[] {
    if (this.#kinds.size === 0) return nothing
    const frames: AgentMessage[] = []
    for (const [name, kind] of this.#kinds) {
      if (now < kind.nextAt) continue
      if (kind.held === undefined) this.#kinds.delete(name)
      else frames.push(kind.held())
      kind.held = undefined
      kind.nextAt = now + kind.everyMs
    }
    return frames.length === 0 ? nothing : frames
  }
}
