// Bounds a login that the user may never complete.
import { LoginFault } from "./login-store.ts"

export interface Deadline {
  readonly timeout: AbortSignal
  /** What the user reads when it has passed. */
  readonly message: string
}

export async function withDeadline<Value>(
  signal: AbortSignal,
  { timeout, message }: Deadline,
  work: (bounded: AbortSignal) => Promise<Value>,
): Promise<Value> {
  try {
    return await work(AbortSignal.any([signal, timeout]))
  } catch (fault) {
    signal.throwIfAborted()
    throw timeout.aborted ? new LoginFault(message) : fault
  }
}
