// Work that Ctrl-C cancels, in a command that has changed nothing yet.
import { AppFault, exitCodes } from "../app/app-fault.ts"

export function interrupted(): AppFault {
  return new AppFault("interrupted; nothing was changed", exitCodes.interrupted)
}

/** Work that ignores the signal is still reported as interrupted when it ends. */
export async function interruptible<Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
  const stop = new AbortController()
  const interrupt = () => stop.abort(interrupted())
  process.once("SIGINT", interrupt)
  try {
    const value = await work(stop.signal)
    stop.signal.throwIfAborted()
    return value
  } finally {
    process.off("SIGINT", interrupt)
  }
}
