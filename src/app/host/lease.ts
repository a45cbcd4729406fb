// Registers a command as a host for the time it writes to the log.
import type { EventLog, Lease } from "../../log/event-log.ts"
import { thisHost } from "../../log/process-identity.ts"
import { accepted } from "../app-fault.ts"

export async function withLease<Value>(
  log: EventLog,
  role: string,
  use: (lease: Lease) => Promise<Value>,
): Promise<Value> {
  const registered = accepted(await log.registerHost(thisHost(role)))
  try {
    return await use(registered.value)
  } finally {
    await log.releaseHost(registered.value)
  }
}
