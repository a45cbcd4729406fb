// A progress line on a terminal, updated a few times a second; nothing in a pipe.
const everyMs = 100

export class ProgressLine {
  #shownAt = 0

  show(text: string): void {
    const now = performance.now()
    if (!process.stderr.isTTY || now - this.#shownAt < everyMs) return
    this.#shownAt = now
    process.stderr.write(`\r\u001b[K${text}`)
  }

  clear(): void {
    if (this.#shownAt > 0) process.stderr.write("\r\u001b[K")
    this.#shownAt = 0
  }
}
