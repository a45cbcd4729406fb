// The servers of an address: `nats://user:password@a:4222,tls://b`. Only `address` may be printed.
import type { NodeConnectionOptions } from "@nats-io/transport-node"

export interface NatsServer {
  readonly host: string
  readonly port: number
  readonly address: string
  /** TLS is required; otherwise it is used when the server offers it. */
  readonly isTls: boolean
  readonly credentials: Pick<NodeConnectionOptions, "user" | "pass" | "token">
}

const defaultPort = 4222

/** Credentials of the first server count for those that have none. */
export function parseServers(url: string): readonly NatsServer[] {
  const servers = url.split(",").map((part) => parseServer(part.trim()))
  const common = servers[0]?.credentials ?? {}
  return servers.map((server) => ({ ...server, credentials: { ...(isEmpty(server) ? common : server.credentials) } }))
}

function isEmpty({ credentials }: NatsServer): boolean {
  return Object.keys(credentials).length === 0
}

function parseServer(text: string): NatsServer {
  const parsed = URL.parse(text.includes("://") ? text : `nats://${text}`)
  if (parsed === null || parsed.hostname === "" || !["nats:", "tls:"].includes(parsed.protocol))
    throw new Error(`the address of NATS is invalid. Write nats://HOST:PORT or tls://HOST:PORT, several with commas.`)
  const port = parsed.port === "" ? defaultPort : Number(parsed.port)
  return {
    host: parsed.hostname.replace(/^\[|\]$/g, ""),
    port,
    address: `${parsed.hostname}:${port}`,
    isTls: parsed.protocol === "tls:",
    credentials: credentialsOf(decodeURIComponent(parsed.username), decodeURIComponent(parsed.password)),
  }
}

/** Without a password, the user is a token. */
function credentialsOf(user: string, pass: string): NatsServer["credentials"] {
  if (user === "") return {}
  return pass === "" ? { token: user } : { user, pass }
}
