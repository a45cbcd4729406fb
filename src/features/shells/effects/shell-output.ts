// What a background shell has printed and the model has not read yet: scrubbed, and of a flood the newest part.
import { limits } from "../../../contract/limits.ts"
import { ScrubbedText, type TakenText } from "../../../tools/shell/scrubbed-text.ts"
import type { TextScrubber } from "../../../tools/tool.ts"

export class ShellOutput {
  readonly #bytes: ScrubbedText
  #unread = ""
  #skipped = 0
  #hasNew = false
  #isEnded = false
  #changed = Promise.withResolvers<void>()

  constructor(scrubber: TextScrubber) {
    this.#bytes = new ScrubbedText(scrubber, limits.shellOutputBytes)
  }

  push(chunk: Uint8Array): void {
    this.#bytes.push(chunk)
    this.#change(true)
  }

  end(): void {
    this.#add(this.#bytes.end())
    this.#isEnded = true
    this.#change(true)
  }

  /** Resolves when there is something to read or the shell has ended, at the latest after `waitMs`. */
  async available(waitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#hasNew || this.#isEnded || waitMs <= 0 || signal.aborted) return
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
    const timer = setTimeout(stop, waitMs)
    const onAbort = () => stop()
    signal.addEventListener("abort", onAbort, { once: true })
    await Promise.race([this.#changed.promise, stopped])
    signal.removeEventListener("abort", onAbort)
    clearTimeout(timer)
  }

  /** Everything that is unread. */
  take(): string {
    if (!this.#isEnded) this.#add(this.#bytes.take())
    const notice = this.#skipped === 0 ? "" : `[… ${this.#skipped.toLocaleString("en")} earlier bytes left out …]\n`
    const text = notice + this.#unread
    this.#unread = ""
    this.#skipped = 0
    this.#change(false)
    return text
  }

  /** The text was not read after all. */
  putBack(text: string): void {
    this.#unread = text + this.#unread
    this.#change(true)
  }

  #add({ skipped, text }: TakenText): void {
    const all = skipped > 0 ? text : this.#unread + text
    const excess = Math.max(0, all.length - limits.shellOutputBytes)
    this.#skipped += (skipped > 0 ? this.#unread.length + skipped : 0) + excess
    this.#unread = all.slice(excess).toWellFormed()
  }

  #change(hasNew: boolean): void {
    this.#hasNew = hasNew
    if (!hasNew) return
    this.#changed.resolve()
    this.#changed = Promise.withResolvers<void>()
  }
}
