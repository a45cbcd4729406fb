// A recording of terminal output as asciicast v2, which asciinema and its players show.

/** Seconds; longer pauses are shortened. */
const MAX_PAUSE = 1.2

export class Recording {
  readonly #lines: string[] = []
  #time = 0
  #lastAt: number | undefined

  readonly add = (text: string): void => {
    const now = performance.now()
    if (this.#lastAt !== undefined) this.#time += Math.min(MAX_PAUSE, (now - this.#lastAt) / 1000)
    this.#lastAt = now
    this.#lines.push(JSON.stringify([Math.round(this.#time * 1000) / 1000, "o", text]))
  }

  /** A command as the user would type it at a shell. */
  command(text: string): void {
    this.#time += MAX_PAUSE
    this.add(`$ ${text}\r\n`)
  }

  end({ columns, rows }: { readonly columns: number; readonly rows: number }): string {
    const header = JSON.stringify({ version: 2, width: columns, height: rows, title: "A session of Turnhouse" })
    return [header, ...this.#lines, ""].join("\n")
  }
}
