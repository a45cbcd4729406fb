// A beat to which sessions do what they do from time to time while they stream. There is one for a whole house, so that
// what a thousand of them store at one beat goes to the disk together. It rests while nobody follows it.
export class Beat {
  readonly #everyMs: number
  readonly #followers = new Set<() => void>()
  #timer: NodeJS.Timeout | undefined

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  /** Returns what ends it. The first beat may come sooner than a whole one. */
  follow(act: () => void): () => void {
    const follower = () => act() // the same act may follow twice
    this.#followers.add(follower)
    this.#timer ??= setInterval(() => this.#strike(), this.#everyMs)
    return () => this.#leave(follower)
  }

  #strike(): void {
    for (const follower of this.#followers) follower()
  }

  #leave(follower: () => void): void {
    this.#followers.delete(follower)
    if (this.#followers.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
