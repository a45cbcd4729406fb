// The input loop of `attach`: lines go to the session or agent, Ctrl-C interrupts it, other signals detach. With --watch
// nothing is read, and Ctrl-C detaches.
import { exitCodes } from "../../app/app-fault.ts"
import { hangUp } from "../run/hang-up.ts"
import { onSignals } from "../../app/signals.ts"
import { readLines } from "./input-lines.ts"

/** A session or an agent that the client is attached to. */
export interface Attached {
  /** Resolves with the exit code when the client detaches. */
  readonly left: Promise<number>
  leave(exitCode: number): void
  /** The terminal is closed: detaches when all input is sent. */
  hangUp(exitCode: number): void
  interrupt(): void
  line(line: string): void
  endInput(): void
}

const sigint = 2

/** `begin` is called after signals are handled, and before the first line is read. */
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
