// `openHost`: a host inside another program. It uses a home like the command line does, so that sessions can be watched,
// approved and continued from elsewhere.
import type { HostPort } from "../contract/host-port.ts"
import { startHost } from "./compose.ts"
import { loadContext, type ContextOptions } from "./context.ts"
import { openLocalDoors } from "./host/local-doors.ts"

export interface EmbeddedHost {
  /** All sessions of the home; those that no other process has open are opened in this one. */
  readonly port: HostPort
  /** Closes its sessions; an open turn is continued by the next host that opens its session. */
  close(): Promise<void>
}

export async function openHost(options: ContextOptions = {}): Promise<EmbeddedHost> {
  const context = await loadContext(options)
  const running = await startHost(context, { role: "embedded", approvalWaitMs: "by preset" })
  const doors = await openLocalDoors(context, running).catch(async (fault: unknown) => {
    await running.close()
    throw fault
  })
  const close = async () => {
    await doors.close()
    await running.close()
  }
  return { port: running.port, close }
}
