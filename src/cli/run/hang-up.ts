// Detects that the terminal is closed or the reader of the output is gone. Neither ends the command.
import { isatty } from "node:tty"
import { exitCodes } from "../../app/app-fault.ts"
import { onLostOutput } from "../lost-output.ts"

/** Resolves with the exit code for it. From the call on, SIGHUP and lost output do not end the process. */
export function hangUp(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const onClosed = () => resolve(exitCodes.hungUp)
  process.on("SIGHUP", onClosed)
  process.stdin.on("error", onClosed) // EIO: read from a closed terminal
  onLostOutput(resolve)
  return promise
}

/** The end of input may come before the signal. */
export function isTerminalClosed(): boolean {
  return !isatty(0)
}
