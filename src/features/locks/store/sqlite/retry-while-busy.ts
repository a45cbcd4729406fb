// Retries while another process keeps the lock file busy, and says in one sentence why the file cannot be used.
import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises"
import { isStorageFault, LockFault } from "../lock-fault.ts"

/** How long another process may keep the lock table busy. */
const BUSY_TIMEOUT_MS = 5000
/** Tries without a pause, and the longest pause after that. */
const IMMEDIATE_RETRIES = 20
const MAX_PAUSE_MS = 25
const [busy, locked] = [5, 6]

/** Retries while the lock table is busy, without blocking the event loop. */
export async function retryWhileBusy<Value>(path: string, act: () => Value): Promise<Value> {
  const deadline = performance.now() + BUSY_TIMEOUT_MS
  for (let attempt = 1; ; attempt++) {
    try {
      return act()
    } catch (fault) {
      if (!isStorageFault(fault)) throw fault
      if (!isBusy(fault)) throw new LockFault(`${path} cannot be used (${fault.message})`)
      if (performance.now() > deadline) throw new LockFault(`another process keeps ${path} locked`)
    }
    await (attempt < IMMEDIATE_RETRIES ? nextTick() : sleep(Math.min(attempt - IMMEDIATE_RETRIES + 1, MAX_PAUSE_MS)))
  }
}

function isBusy(fault: Error): boolean {
  if (!("errcode" in fault) || typeof fault.errcode !== "number") return false
  return (fault.errcode & 0xff) === busy || (fault.errcode & 0xff) === locked
}
