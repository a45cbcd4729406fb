// Staying at something live: lines from standard input go to it, Ctrl-C interrupts it, other signals leave it. Whoever
// only watches sends nothing, and Ctrl-C leaves.
import { exitCodes } from "../../app/exit-codes.ts"
import { hangUp } from "../run/hang-up.ts"
import { onSignals } from "../../app/signals.ts"
import { readLines } from "./input-lines.ts"

/** What one is at. */
export interface Attached {
  /** The exit code, when it is time to go. */
  readonly left: Promise<number>
  leave(exitCode: number): void
  /** The terminal is closed: leaves when everything that was typed is sent. */
  hangUp(exitCode: number): void
  interrupt(): void
  line(line: string): void
  endInput(): void
}

const sigint = 2

/** `begin` is called when signals are heard, and before the first line is read. */
export async function attachInput(
  attached: Attached,
  isWatching: boolean,
  begin: () => Promise<void>,
): Promise<number> {
  const interrupt = () => (isWatching ? attached.leave(exitCodes.done) : attached.interrupt())
  const onSignal = (number: number) => (number === sigint ? interrupt() : attached.leave(128 + number))
  const stopListening = onSignals(onSignal, ["SIGINT", "SIGTERM"])
  void hangUp().then((exitCode) => attached.hangUp(exitCode))
  await begin()
  const stopReading = isWatching
    ? undefined
    : readLines({ line: (line) => attached.line(line), end: () => attached.endInput(), interrupt })
  return attached.left.finally(() => {
    stopReading?.()
    stopListening()
  })
}
