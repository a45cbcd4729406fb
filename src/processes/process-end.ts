// The end of a process that is spoken to on its pipes: how it ended, and ending it at once.
import { constants } from "node:os"
import type { Exit } from "./gated-process.ts"

/** A sandbox reports a signal like a shell: as exit code 128 + n. */
export function describeExit({ code, signal }: Exit): string {
  const number = (code ?? 0) - 128
  const name = signal ?? Object.entries(constants.signals).find(([, other]) => other === number)?.[0]
  if (name !== undefined) return `it was terminated by ${name}`
  return `it ended with exit code ${code}`
}

/** Its group is killed at once, without a grace period. */
export function killProcessGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL")
  } catch (fault) {
    if (!(fault instanceof Error && "code" in fault && fault.code === "ESRCH")) throw fault // already gone
  }
}
