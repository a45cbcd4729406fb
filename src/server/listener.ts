// What a listener needs besides its routes: its limits, its certificate, and sentences for addresses that cannot be used.
import type { Config } from "../contract/config.ts"
import { networkOf } from "./access/caller-address.ts"
import type { Certificate } from "./certificate.ts"
import type { PendingLimits } from "./http/pending-connections.ts"
import { ServerFault } from "./server-fault.ts"

/** Connections for probes and other plain requests, besides WebSockets. */
export const SPARE_CONNECTIONS = 5000
/** Plain connections of one address that were silent for a second. Further ones close the longest silent. */
const MAX_PENDING_PER_ADDRESS = 100

/** Behind a proxy all connections have the proxy's address, so only the total is limited. */
export function pendingLimits(isBehindProxy: boolean): PendingLimits {
  return { perAddress: isBehindProxy ? Infinity : MAX_PENDING_PER_ADDRESS, all: SPARE_CONNECTIONS - 1000, networkOf }
}

/** Loaded only if the server itself uses TLS. */
export async function certificateIn({ server }: Config): Promise<Certificate | undefined> {
  if (server?.tls === undefined) return undefined
  const { certificateOf } = await import("./certificate.ts")
  return certificateOf(server.tls)
}

export function listenFault(fault: unknown, host: string, port: number): unknown {
  const code = fault instanceof Error && "code" in fault ? fault.code : undefined
  if (code === "EADDRINUSE")
    return new ServerFault(
      `port ${port} on ${host} is in use. Choose another with --port; 0 selects a free one.`,
      "failed",
    )
  if (code === "EACCES")
    return new ServerFault(`port ${port}: permission denied. Choose a port above 1023 with --port.`, "failed")
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new ServerFault(`${host} is not an address of this machine. Use --host 127.0.0.1.`, "failed")
  return fault
}
