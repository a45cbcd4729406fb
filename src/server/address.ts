// The address of the server, and whether it may be used: one that other machines can reach needs authentication.
import { isIP } from "node:net"
import type { Config } from "../contract/config.ts"
import { isLoopbackAddress } from "./http/loopback.ts"
import { ServerFault } from "./server-fault.ts"

export interface Address {
  readonly host: string
  readonly port: number
  /** Other machines can reach it, directly or through a proxy. */
  readonly isPublic: boolean
  readonly isEncrypted: boolean
}

const defaults = { host: "127.0.0.1", port: 8787 }
const advice = "Set server.auth (see docs/identity.md), or use --host 127.0.0.1."

/** From the command line; the configuration has the defaults. */
export interface ListenOptions {
  readonly host?: string | undefined
  readonly port?: number | undefined
}

/** Throws `ServerFault` where callers would not be identified. */
export function addressOf(options: ListenOptions, { server = {}, otp }: Config): Address {
  const host = options.host ?? server.host ?? defaults.host
  const port = options.port ?? server.port ?? defaults.port
  const { behindProxy = false, auth = { mode: "none" } } = server
  const isRemote = !isLoopbackAddress(host)
  if (auth.mode === "none" && isRemote)
    throw new ServerFault(`other machines can reach ${host}, and callers would not be authenticated. ${advice}`)
  if (auth.mode === "none" && behindProxy)
    throw new ServerFault(
      "server.behindProxy: other machines can reach the server, and callers would not be authenticated. Set server.auth too.",
    )
  if (auth.mode === "proxy" && isRemote && !behindProxy)
    throw new ServerFault(
      `server.auth.mode 'proxy': any caller that reaches ${host} could claim any identity. Set server.behindProxy and let only the proxy through, or use --host 127.0.0.1.`,
    )
  if (otp?.transport.type === "log" && (isRemote || behindProxy))
    throw new ServerFault(
      'otp.transport "log" prints codes and is for development on this machine only. Configure an smtp transport.',
    )
  return { host, port, isPublic: isRemote || behindProxy, isEncrypted: server.tls !== undefined }
}

/** For the operator, at the start. */
export function addressWarnings({ isPublic, isEncrypted }: Address, { server = {} }: Config): readonly string[] {
  const warnings: string[] = []
  if (isPublic && !isEncrypted && server.behindProxy !== true)
    warnings.push("without TLS, tokens and keys can be read in transit. Set server.tls or server.behindProxy.")
  if (isPublic && server.auth?.mode === "proxy" && server.auth.secret === undefined)
    warnings.push(
      "a caller that bypasses the proxy can claim any identity. Set server.auth.secret so that the proxy authenticates itself.",
    )
  return warnings
}

export function urlOf({ host, isEncrypted }: Pick<Address, "host" | "isEncrypted">, port: number): string {
  return `${isEncrypted ? "https" : "http"}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}
