// The input loop of `attach`: lines go to the session or agent, Ctrl-C interrupts it, other signals detach. With --watch
// nothing is read, and Ctrl-C detaches.
import { exitCodes } from "../../app/app-fault.ts"
import { hangUp } from "../lost-output.ts"
import { onSignals } from "../../app/signals.ts"
import { createInterface } from "node:readline"

/** A session or an agent that the client is attached to. */
export interface Attached {
  /** Resolves with the exit code when the client detaches. */
  readonly exited: Promise<number>
  leave(exitCode: number): void
  /** The terminal is closed: detaches when all input is sent. */
  hangUp(exitCode: number): void
  interrupt(): void
  line(line: string): void
  endInput(): void
}

export interface InputMode {
  /** Nothing is read. */
  readonly isWatching: boolean
  /** The terminal edits the line; the cursor is not moved. */
  readonly isPlain?: boolean
}

const sigint = 2

/** `begin` is called after signals are handled, and before the first line is read. */
export async function attachInput(
  attached: Attached,
  { isWatching, isPlain = false }: InputMode,
  begin: () => Promise<void>,
): Promise<number> {
  const interrupt = () => (isWatching ? attached.leave(exitCodes.done) : attached.interrupt())
  const onSignal = (number: number) => (number === sigint ? interrupt() : attached.leave(128 + number))
  const stopListening = onSignals(onSignal, ["SIGINT", "SIGTERM"])
  void hangUp().then((exitCode) => attached.hangUp(exitCode))
  await begin()
  const stopReading = isWatching
    ? undefined
    : readLines({ line: (line) => attached.line(line), end: () => attached.endInput(), interrupt }, isPlain)
  return attached.exited.finally(() => {
    stopReading?.()
    stopListening()
  })
}

interface LineListeners {
  readonly line: (line: string) => void
  readonly end: () => void
  /** While a terminal is read, Ctrl-C is a key and not a signal. */
  readonly interrupt: () => void
}

/** Returns a function that stops reading. */
function readLines({ line, end, interrupt }: LineListeners, isPlain: boolean): () => void {
  const { stdin, stderr } = process
  const reader =
    stdin.isTTY && !isPlain
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
