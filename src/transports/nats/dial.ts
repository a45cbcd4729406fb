// One attempt to connect to one NATS server. Reconnecting is not left to the client library: a dead connection with unsent
// bytes would keep it waiting for minutes, and each attempt that times out would leave a socket open. Hence the check
// beforehand, and a new connection each time.
import { connect, type NatsConnection } from "@nats-io/transport-node"
import { once } from "node:events"
import { createConnection } from "node:net"
import type { NatsServer } from "./servers.ts"

const ANSWER_MS = 3000
const CONNECT_MS = 5000
/** A connection is dead when this many pings in a row are not answered. */
const PING_MS = 2000
const MAX_PINGS = 2

export interface DialOptions {
  /** Shown by the server's monitoring. */
  readonly name: string
  readonly inboxPrefix: string
  readonly signal: AbortSignal
}

export async function dial(server: NatsServer, { name, inboxPrefix, signal }: DialOptions): Promise<NatsConnection> {
  await greeted(server, signal)
  const connection = await connect({
    servers: [server.address],
    ...server.credentials,
    ...(server.isTls ? { tls: {} } : {}),
    name,
    inboxPrefix,
    timeout: CONNECT_MS,
    reconnect: false,
    ignoreClusterUpdates: true,
    pingInterval: PING_MS,
    maxPingOut: MAX_PINGS,
    noAsyncTraces: true,
  })
  if (!signal.aborted) return connection
  await connection.close()
  throw new Error("the connection is closed")
}

/** A server speaks first. */
async function greeted({ host, port }: NatsServer, signal: AbortSignal): Promise<void> {
  const socket = createConnection({ host, port })
  const deadline = AbortSignal.timeout(ANSWER_MS)
  try {
    await once(socket, "data", { signal: AbortSignal.any([signal, deadline]) })
  } catch (fault) {
    throw deadline.aborted ? new Error(`no answer within ${ANSWER_MS / 1000} s`) : fault
  } finally {
    socket.on("error", () => {}).destroy()
  }
}
