// One line that a person types or changes at the terminal, with the keys of readline.
import { createInterface } from "node:readline/promises"

export type TypedLine =
  | { readonly kind: "line"; readonly text: string }
  /** Escape: the person wants back. */
  | { readonly kind: "back" }
  /** Ctrl-D or the end of the input. */
  | { readonly kind: "end" }

/** Rejects with an AbortError if `signal` aborts. */
export async function readTypedLine(prompt: string, text: string, signal: AbortSignal): Promise<TypedLine> {
  const { stdin, stderr } = process
  const terminal = createInterface({ input: stdin, output: stderr, terminal: true, historySize: 0 })
  terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"))
  terminal.on("error", () => {}) // EIO of a closed terminal, handled as a hang-up
  const left = Promise.withResolvers<TypedLine>()
  const onKeypress = (_: unknown, key: { readonly name?: string }) => {
    if (key.name === "escape") left.resolve({ kind: "back" })
  }
  stdin.on("keypress", onKeypress)
  terminal.once("close", () => left.resolve({ kind: "end" }))
  const typed = terminal.question(prompt, { signal })
  terminal.write(text)
  try {
    return await Promise.race([typed.then((line): TypedLine => ({ kind: "line", text: line })), left.promise])
  } finally {
    stdin.off("keypress", onKeypress)
    typed.catch(() => {}) // closing rejects a line that is not complete
    terminal.close()
  }
}
