// How long this process may believe that it has its holds without an answer of the database. Other nodes may take a hold
// when it has not been renewed for `staleAfterMs`; here it is lost some seconds earlier, counted by the monotonic clock of
// this machine from before the last successful renewal was sent. A lost hold never becomes valid again.
import { staleAfterMs } from "../../lock-table.ts"
import type { FenceFiles } from "../fence-files.ts"

/** Covers clocks of different speed and the time between a check and what is done after it. */
const MARGIN_MS = 3000
export const leaseMs = staleAfterMs - MARGIN_MS
const CHECK_MS = 500

export interface LeaseOptions {
  readonly files: FenceFiles
  readonly token: (fence: number) => string
  /** Monotonic. */
  readonly ticks: () => number
}

interface Lease {
  /** When it ends. */
  until: number
  readonly hasFile: boolean
}

export class HoldLeases {
  readonly #options: LeaseOptions
  readonly #leases = new Map<number, Lease>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: LeaseOptions) {
    this.#options = options
  }

  /** Before the hold is stored. */
  begin(fence: number, sentAt: number, hasFile: boolean): void {
    if (hasFile) this.#raiseFile(fence, sentAt)
    this.#leases.set(fence, { until: sentAt + leaseMs, hasFile })
    this.#timer ??= setInterval(() => this.#loseExpired(), CHECK_MS).unref()
  }

  /** A hold that was lost or released meanwhile stays so. */
  renew(fence: number, sentAt: number): void {
    const lease = this.#leases.get(fence)
    if (lease === undefined || lease.until === -Infinity) return
    lease.until = sentAt + leaseMs
    if (lease.hasFile) this.#raiseFile(fence, sentAt)
  }

  /** False for holds of other processes. */
  isLost(fence: number): boolean {
    const lease = this.#leases.get(fence)
    if (lease === undefined || this.#options.ticks() < lease.until) return false
    this.lose(fence)
    return true
  }

  lose(fence: number): void {
    const lease = this.#leases.get(fence)
    if (lease === undefined) return
    lease.until = -Infinity
    this.lowerFile(fence)
  }

  lowerFile(fence: number): void {
    const { files, token } = this.#options
    files.lower(token(fence))
  }

  end(fence: number): void {
    this.lowerFile(fence)
    this.#leases.delete(fence)
    if (this.#leases.size === 0) this.#stop()
  }

  close(): void {
    for (const fence of this.#leases.keys()) this.lowerFile(fence)
    this.#leases.clear()
    this.#stop()
  }

  #loseExpired(): void {
    for (const fence of this.#leases.keys()) this.isLost(fence)
  }

  #raiseFile(fence: number, sentAt: number): void {
    const { files, token, ticks } = this.#options
    files.raise(token(fence), sentAt + leaseMs - ticks())
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
