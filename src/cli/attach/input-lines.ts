// Reads lines from standard input, from a terminal or a pipe, until it ends or reading is stopped.
import { createInterface } from "node:readline"

export interface LineListeners {
  readonly line: (line: string) => void
  readonly end: () => void
  /** While a terminal is read, Ctrl-C is a key and not a signal. */
  readonly interrupt: () => void
}

/** Returns a function that stops reading. */
export function readLines({ line, end, interrupt }: LineListeners): () => void {
  const { stdin, stderr } = process
  const reader = stdin.isTTY
    ? createInterface({ input: stdin, output: stderr, prompt: "", terminal: true })
    : createInterface({ input: stdin, crlfDelay: Infinity })
  let isOver = false
  reader.on("line", line).on("SIGINT", interrupt)
  reader.on("error", () => {}) // EIO of a closed terminal, handled as a hang-up
  reader.once("close", () => {
    if (!isOver) end()
  })
  return () => {
    isOver = true
    reader.close()
  }
}
