// The terminal of a command is closed, or the reader of its output is gone. Neither ends the command: it decides itself
// what becomes of its work.
import { isatty } from "node:tty"
import { exitCodes } from "../../app/exit-codes.ts"
import { onLostOutput } from "../lost-output.ts"

/** Resolves with the exit code for it. From the call on, SIGHUP and lost output do not end the process. */
export function hangUp(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const onClosed = () => resolve(exitCodes.hungUp)
  process.on("SIGHUP", onClosed)
  process.stdin.on("error", onClosed) // EIO: a closed terminal is read
  onLostOutput(resolve)
  return promise
}

/** For a process whose input was a terminal: the end of input may come before the signal. */
export function isTerminalClosed(): boolean {
  return !isatty(0)
}
