// The use of accounts on this node, and what of it the other nodes do not know yet.
import type { AccountUse } from "./shared-use.ts"

interface Counted {
  active: number
  frames: number
  /** As the other nodes know it. */
  published: { readonly active: number; readonly frames: number }
  /** Number of the publication that was prepared last when it was used. */
  usedAt: number
}

/** Publications after which an account that is not active is forgotten, and its frames count from 0 again. */
const KEPT = 30

export class OwnUse {
  readonly #leastFrames: number
  readonly #accounts = new Map<string, Counted>()
  readonly #changed = new Set<string>()
  #publications = 0

  /** Fewer frames than a tenth of a second's are not worth a publication of their own: they are counted with the next. */
  constructor(framesPerSecond: number) {
    this.#leastFrames = Math.max(1, framesPerSecond / 10)
  }

  get size(): number {
    return this.#accounts.size
  }

  setActive(account: string, active: number): void {
    this.#counted(account).active = active
  }

  tookFrame(account: string): void {
    this.#counted(account).frames += 1
  }

  /** To be published next. `all`: the other nodes may have lost what they knew. */
  prepare(all: boolean): readonly AccountUse[] {
    this.#publications += 1
    if (this.#publications % KEPT === 0) this.#forget()
    const names = all ? [...this.#accounts.keys()] : [...this.#changed]
    return names.flatMap((account) => {
      const counted = this.#accounts.get(account)
      if (counted === undefined || !(all || this.#isWorthIt(counted))) return []
      return [{ account, active: counted.active, frames: counted.frames }]
    })
  }

  published(uses: readonly AccountUse[]): void {
    for (const { account, active, frames } of uses) {
      const counted = this.#accounts.get(account)
      if (counted === undefined) continue
      counted.published = { active, frames }
      if (counted.active === active && counted.frames === frames) this.#changed.delete(account)
    }
  }

  #counted(account: string): Counted {
    this.#changed.add(account)
    const known = this.#accounts.get(account)
    if (known !== undefined) {
      known.usedAt = this.#publications
      return known
    }
    const published = { active: 0, frames: 0 }
    const counted = { active: 0, frames: 0, published, usedAt: this.#publications }
    this.#accounts.set(account, counted)
    return counted
  }

  #isWorthIt({ active, frames, published }: Counted): boolean {
    return active !== published.active || frames - published.frames >= this.#leastFrames
  }

  #forget(): void {
    for (const [account, { active, published, usedAt }] of this.#accounts) {
      if (active > 0 || published.active > 0 || this.#publications - usedAt < KEPT) continue
      this.#accounts.delete(account)
      this.#changed.delete(account)
    }
  }
}
