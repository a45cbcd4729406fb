// Tells a key that a person pressed on purpose from keys that were typed before the question was shown, and from a paste.
// A key counts only after a moment without input, and only if no other input follows at once.

export interface Key {
  /** Of a letter in lower case; `return`, `escape`, `paste-start` and so on for other keys. */
  readonly name: string | undefined
  readonly ctrl: boolean
}

export interface KeyEvents {
  /** From now on keys count. */
  readonly ready: () => void
  /** Input was ignored; `ready` follows. */
  readonly ignored: () => void
  readonly key: (key: Key) => void
}

/** Milliseconds without input before keys count. */
export const QUIET_MS = 300
/** Milliseconds without further input after a key. */
export const ALONE_MS = 50

export class DeliberateKeys {
  readonly #events: KeyEvents
  #isReady = false
  #isPasting = false
  #timer: NodeJS.Timeout | undefined
  #candidate: Key | undefined

  constructor(events: KeyEvents) {
    this.#events = events
    this.#waitForQuiet()
  }

  take(key: Key): void {
    if (key.name === "paste-start" || key.name === "paste-end") this.#isPasting = key.name === "paste-start"
    const isAlone = this.#isReady && this.#candidate === undefined && key.name !== undefined
    if (!isAlone || this.#isPasting || key.name === "paste-end") return this.#ignore()
    this.#candidate = key
    this.#timer = setTimeout(() => setImmediate(() => this.#accept(key)), ALONE_MS) // input that has arrived is read first
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#candidate = undefined
    this.#isReady = false
  }

  #accept(key: Key): void {
    if (this.#candidate !== key) return
    this.#candidate = undefined
    this.#events.key(key)
  }

  #ignore(): void {
    this.#candidate = undefined
    if (this.#isReady) this.#events.ignored()
    this.#isReady = false
    this.#waitForQuiet()
  }

  #waitForQuiet(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => setImmediate(() => this.#onQuiet()), QUIET_MS)
  }

  #onQuiet(): void {
    if (this.#isPasting || this.#isReady) return
    this.#isReady = true
    this.#events.ready()
  }
}
