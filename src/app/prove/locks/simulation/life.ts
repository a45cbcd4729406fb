// The life of a simulated process: while it is frozen its timers and messages wait, and once it is dead nothing of it happens.
import type { VirtualTime } from "./virtual-time.ts"

export class SimulatedLife {
  readonly died: Promise<undefined>
  readonly #time: VirtualTime
  readonly #dead = Promise.withResolvers<undefined>()
  /** What was due while it was frozen. */
  #late: (() => void)[] | undefined
  #isDead = false

  constructor(time: VirtualTime) {
    this.#time = time
    this.died = this.#dead.promise
  }

  get isDead(): boolean {
    return this.#isDead
  }

  get isFrozen(): boolean {
    return this.#late !== undefined
  }

  /** Returns a function that prevents it. */
  schedule(ms: number, act: () => void): () => void {
    return this.#time.schedule(ms, () => this.#whenRunning(act))
  }

  /** Never resolves in a process that dies before. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.schedule(ms, resolve))
  }

  freeze(): void {
    this.#late ??= []
  }

  thaw(): void {
    const late = this.#late ?? []
    this.#late = undefined
    for (const act of late) this.schedule(0, act)
  }

  kill(): void {
    this.#isDead = true
    this.#dead.resolve(undefined)
  }

  #whenRunning(act: () => void): void {
    if (this.#isDead) return
    if (this.#late === undefined) act()
    else this.#late.push(act)
  }
}
