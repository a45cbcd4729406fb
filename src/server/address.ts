// Where `serve` listens, and whether it may. An address that others can reach needs a way to know who is calling.
import { isIP } from "node:net"
import type { Config } from "../contract/config.ts"
import { isLoopbackAddress } from "./http/loopback.ts"
import { usageFault } from "../app/app-fault.ts"
import type { Args } from "../cli/command.ts"

export interface Address {
  readonly host: string
  readonly port: number
  /** Others than this machine can reach it, by themselves or through a proxy. */
  readonly isPublic: boolean
  readonly isEncrypted: boolean
}

const usual = { host: "127.0.0.1", port: 8787 }
const whatToDo = "set server.auth to know visitors (docs/identity.md), or use --host 127.0.0.1"

export function addressOf(args: Args, { server = {}, otp }: Config): Address {
  const host = args.text("host") ?? server.host ?? usual.host
  const port = portIn(args) ?? server.port ?? usual.port
  const { behindProxy = false, auth = { mode: "none" } } = server
  const isElsewhere = !isLoopbackAddress(host)
  if (auth.mode === "none" && isElsewhere)
    throw usageFault(`${host} can be reached from other machines, and nobody would be asked who they are: ${whatToDo}`)
  if (auth.mode === "none" && behindProxy)
    throw usageFault("server.behindProxy lets others in, and nobody would be asked who they are: set server.auth too")
  if (auth.mode === "proxy" && isElsewhere && !behindProxy)
    throw usageFault(
      `anybody who reaches ${host} could say to be anybody: with server.auth.mode 'proxy' set server.behindProxy, and let nobody but the proxy through, or use --host 127.0.0.1`,
    )
  if (otp?.transport.type === "log" && (isElsewhere || behindProxy))
    throw usageFault('otp.transport "log" prints codes and is for development on this machine: set an smtp one')
  return { host, port, isPublic: isElsewhere || behindProxy, isEncrypted: server.tls !== undefined }
}

/** What whoever starts it should know, and may not. */
export function addressWarnings({ isPublic, isEncrypted }: Address, { server = {} }: Config): readonly string[] {
  const warnings: string[] = []
  if (isPublic && !isEncrypted && server.behindProxy !== true)
    warnings.push("without TLS, tokens and keys can be read on the way: set server.tls, or server.behindProxy")
  if (isPublic && server.auth?.mode === "proxy" && server.auth.secret === undefined)
    warnings.push("whoever gets past the proxy can say to be anybody: let it prove itself with server.auth.secret")
  return warnings
}

/** As it stands in an address. */
export function urlOf({ host, isEncrypted }: Pick<Address, "host" | "isEncrypted">, port: number): string {
  return `${isEncrypted ? "https" : "http"}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

function portIn(args: Args): number | undefined {
  const text = args.text("port")
  if (text === undefined) return undefined
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw usageFault(`--port takes a number from 0 to 65535`)
  return Number(text)
}
