// Lines from standard input, from a person or from a pipe, until it ends or nobody wants them any more.
import { createInterface } from "node:readline"

export interface LineListeners {
  readonly line: (line: string) => void
  readonly end: () => void
  /** Ctrl-C at a terminal that is being read is a key, not a signal. */
  readonly interrupt: () => void
}

/** Returns what ends the reading. */
export function readLines({ line, end, interrupt }: LineListeners): () => void {
  const { stdin, stderr } = process
  const reader = stdin.isTTY
    ? createInterface({ input: stdin, output: stderr, prompt: "", terminal: true })
    : createInterface({ input: stdin, crlfDelay: Infinity })
  let isOver = false
  reader.on("line", line).on("SIGINT", interrupt)
  reader.on("error", () => {}) // EIO of a closed terminal, which is heard as a hang-up
  reader.once("close", () => {
    if (!isOver) end()
  })
  return () => {
    isOver = true
    reader.close()
  }
}
