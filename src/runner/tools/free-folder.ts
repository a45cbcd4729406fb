// Runs work while no other session builds, commits or writes files in a folder: it holds the lock of destructive work.
import type { SessionContext } from "../session-context.ts"

/** A string says why the lock was not granted. */
export async function whileFolderIsFree<Value>(
  session: SessionContext,
  folder: string,
  signal: AbortSignal,
  work: () => Promise<Value>,
): Promise<Value | string> {
  const { locks: source, scrubber } = session.services
  if (source === undefined) return work()
  const { takeCallLocks } = await import("../../features/locks/effects/call-locks.ts")
  const requests = [{ kind: "git_destructive", scope: scrubber.text(folder) } as const]
  const options = { requests, description: "undo", signal, progress: () => {} }
  const outcome = await takeCallLocks(session, await source.load(), options)
  if (outcome.kind === "refused") return outcome.reason
  if (outcome.kind === "cancelled") return "The session was closed."
  try {
    return await work()
  } finally {
    await outcome.locks.release()
  }
}
