// Fences a host that cannot renew its lease, before another one may take its sessions. Both clocks count: the monotonic one
// cannot be set, and the other one goes on while the machine is suspended.
import { limits } from "../contract/limits.ts"

export interface RenewalAttempt {
  succeeded(): void
}

interface Moment {
  readonly monotonic: number
  readonly wall: number
}

export class LeaseFence {
  readonly #timer: NodeJS.Timeout
  #renewed: Moment = moment()

  constructor(onFenced: () => void) {
    this.#timer = setInterval(() => {
      if (ageOf(this.#renewed) >= limits.fenceMs) onFenced()
    }, limits.fenceCheckMs)
    this.#timer.unref()
  }

  /** The lease lasts from the moment at which its renewal was requested, at least. */
  attempt(): RenewalAttempt {
    const requested = moment()
    return { succeeded: () => void (this.#renewed = requested) }
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

function moment(): Moment {
  return { monotonic: performance.now(), wall: Date.now() }
}

function ageOf({ monotonic, wall }: Moment): number {
  return Math.max(performance.now() - monotonic, Date.now() - wall)
}
