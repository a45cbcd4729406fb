// Standard output that can no longer be written, because its reader or its terminal is gone. By default that ends the
// process; a command with work to finish listens for it instead.
import { exitCodes } from "../app/exit-codes.ts"

type Listener = (exitCode: number) => void

const exit: Listener = (exitCode) => process.exit(exitCode)
let listener = exit

export function watchOutput(): void {
  process.stdout.on("error", (fault: NodeJS.ErrnoException) => {
    const exitCode = lostBy(fault.code)
    if (exitCode === undefined) throw fault
    listener(exitCode)
  })
  process.stderr.on("error", () => {}) // stderr carries no results: without a reader the command still does its work
}

/** From here on the process lives on when its output is lost. */
export function onLostOutput(listen: Listener): void {
  listener = listen
}

/** EPIPE: the reader of a pipe is gone (`turnhouse ls | head -1`). EIO: the terminal is closed. */
function lostBy(code: string | undefined): number | undefined {
  if (code === "EPIPE") return exitCodes.brokenPipe
  return code === "EIO" ? exitCodes.hungUp : undefined
}
