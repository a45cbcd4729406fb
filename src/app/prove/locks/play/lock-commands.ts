// What a process of the proof is told to do with the locks of its home, and what it answers. It runs in a simulated process
// and, as lines of JSON, in real ones.
import type { LockRequest } from "../../../../features/locks/conflicts.ts"
import type { Hold, Locks } from "../../../../features/locks/store/locks.ts"
import { messageOf } from "../../../app-fault.ts"
import type { GrantedLock } from "../check/lock-model.ts"

/** A holder has at most one call at a time. */
export type LockCommand =
  | { readonly type: "acquire"; readonly holder: string; readonly lock: LockRequest }
  | { readonly type: "release" | "set-status"; readonly holder: string; readonly lock: LockRequest }
  | {
      readonly type: "call"
      readonly holder: string
      readonly requests: readonly LockRequest[]
      readonly waitMs: number
    }
  | { readonly type: "cancel" | "check" | "act" | "end"; readonly holder: string }
  | { readonly type: "list" }
  | { readonly type: "close" }

export type LockAnswer =
  | { readonly type: "granted"; readonly locks: readonly GrantedLock[] }
  | { readonly type: "refused"; readonly by: string }
  | { readonly type: "cancelled" }
  | { readonly type: "held"; readonly wasHeld: boolean }
  | { readonly type: "lost"; readonly fences: readonly number[] }
  | { readonly type: "acted"; readonly hasActed: boolean }
  | { readonly type: "list"; readonly held: readonly ListedHold[]; readonly waiting: readonly ListedWaiter[] }
  | { readonly type: "done" }
  /** It is unknown what was done. */
  | { readonly type: "fault"; readonly what: string }

export interface ListedHold {
  readonly scope: string
  readonly fence: number
}

export interface ListedWaiter {
  readonly scopes: readonly string[]
  readonly holder: string
}

/** What a tool does under a hold. False if it saw that its number is not valid any more, and did nothing. */
export type Act = (hold: Hold) => Promise<boolean>

export class LockServant {
  readonly #locks: Locks
  readonly #act: Act
  readonly #holds = new Map<string, Hold>()
  readonly #waiting = new Map<string, AbortController>()

  constructor(locks: Locks, act: Act) {
    this.#locks = locks
    this.#act = act
  }

  /** `onQueued`: called when a call has to wait, with the holder that it waits for. */
  async perform(command: LockCommand, onQueued: (by: string) => void): Promise<LockAnswer> {
    try {
      return await this.#perform(command, onQueued)
    } catch (fault) {
      return { type: "fault", what: messageOf(fault) }
    }
  }

  #perform(command: LockCommand, onQueued: (by: string) => void): Promise<LockAnswer> {
    switch (command.type) {
      case "acquire":
        return this.#acquire(command.holder, command.lock)
      case "release":
        return this.#isHeld(this.#locks.release(command.holder, command.lock.kind, command.lock.scope))
      case "set-status":
        return this.#isHeld(this.#locks.setStatus(command.holder, command.lock.kind, command.lock.scope, "at work"))
      case "call":
        return this.#call(command, onQueued)
      case "cancel":
        this.#waiting.get(command.holder)?.abort()
        return Promise.resolve({ type: "done" })
      case "list":
        return this.#list()
      case "close":
        return this.#locks.close().then(() => ({ type: "done" }))
      default:
        return this.#use(command.type, command.holder)
    }
  }

  async #acquire(holder: string, lock: LockRequest): Promise<LockAnswer> {
    const acquired = await this.#locks.acquire(holder, lock, "")
    if (acquired.kind === "refused") return { type: "refused", by: acquired.by.holder }
    return { type: "granted", locks: [{ ...lock, fence: acquired.lock.fence }] }
  }

  async #isHeld(held: Promise<boolean>): Promise<LockAnswer> {
    return { type: "held", wasHeld: await held }
  }

  async #call(
    { holder, requests, waitMs }: Extract<LockCommand, { type: "call" }>,
    onQueued: (by: string) => void,
  ): Promise<LockAnswer> {
    const cancelled = new AbortController()
    const { signal } = cancelled
    this.#waiting.set(holder, cancelled)
    let isQueued = false
    const onWait = (by: { readonly holder: string }) => {
      if (!isQueued) onQueued(by.holder)
      isQueued = true
    }
    const outcome = await this.#locks.acquireForCall({ holder, requests, description: "", signal, waitMs, onWait })
    this.#waiting.delete(holder)
    if (outcome.kind === "cancelled") return { type: "cancelled" }
    if (outcome.kind === "refused") return { type: "refused", by: outcome.by.holder }
    if (outcome.kind === "deadlock") throw new Error("calls alone are in a deadlock")
    this.#holds.set(holder, outcome.hold)
    return { type: "granted", locks: outcome.hold.locks.map(({ kind, scope, fence }) => ({ kind, scope, fence })) }
  }

  async #use(use: "check" | "act" | "end", holder: string): Promise<LockAnswer> {
    const hold = this.#holds.get(holder)
    if (hold === undefined) throw new Error(`${holder} has no call`)
    if (use === "act") return { type: "acted", hasActed: await this.#act(hold) }
    if (use === "check") return { type: "lost", fences: (await hold.lostLocks()).map(({ fence }) => fence) }
    this.#holds.delete(holder)
    await hold.release()
    return { type: "done" }
  }

  async #list(): Promise<LockAnswer> {
    const { rows, waiting } = await this.#locks.list()
    return {
      type: "list",
      held: rows.flatMap(({ scope, ownDetails }) =>
        ownDetails === undefined ? [] : [{ scope, fence: ownDetails.fence }],
      ),
      waiting: waiting.map(({ holder, requests }) => ({ holder, scopes: requests.map(({ scope }) => scope) })),
    }
  }
}
