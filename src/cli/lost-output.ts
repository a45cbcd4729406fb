// Handles a lost reader of standard output or a closed terminal. By default it ends the process; a command with work to
// finish installs a listener.
import { exitCodes } from "../app/app-fault.ts"
import { isatty } from "node:tty"

type Listener = (exitCode: number) => void

const exit: Listener = (exitCode) => process.exit(exitCode)
let listener = exit

export function watchOutput(): void {
  process.stdout.on("error", (fault: NodeJS.ErrnoException) => {
    const exitCode = lostBy(fault.code)
    if (exitCode === undefined) throw fault
    listener(exitCode)
  })
  process.stderr.on("error", () => {}) // notices may be lost; the command continues
}

/** From now on lost output does not end the process. */
export function onLostOutput(listen: Listener): void {
  listener = listen
}

/** EPIPE: the reader of a pipe is gone (`turnhouse ls | head -1`). EIO: the terminal is closed. */
function lostBy(code: string | undefined): number | undefined {
  if (code === "EPIPE") return exitCodes.brokenPipe
  return code === "EIO" ? exitCodes.hungUp : undefined
}

/** Resolves with the exit code when the terminal or the reader is gone. From the call on, SIGHUP and lost output do not end the process. */
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
