// Where `serve` listens, and whether it may. Without a way to know who is calling it stays on this machine.
import { isIP } from "node:net"
import type { Config } from "../../contract/config.ts"
import { isLoopbackAddress } from "../../doors/http/loopback.ts"
import { usageFault } from "../cli-fault.ts"
import type { Args } from "../command.ts"

export interface Address {
  readonly host: string
  readonly port: number
}

const usual = { host: "127.0.0.1", port: 8787 }

export function addressOf(args: Args, { server = {} }: Config): Address {
  const host = args.text("host") ?? server.host ?? usual.host
  const port = portIn(args) ?? server.port ?? usual.port
  const mode = server.auth?.mode ?? "none"
  if (mode !== "none")
    throw usageFault(`server.auth.mode '${mode}' is not there yet: remove it, and serve on 127.0.0.1 only`)
  if (server.tls !== undefined)
    throw usageFault("server.tls is not there yet: remove it, and put a proxy with a certificate in front")
  if (!isLoopbackAddress(host))
    throw usageFault(
      `${host} can be reached from other machines, and nobody would be asked who they are: use --host 127.0.0.1`,
    )
  return { host, port }
}

/** As it stands in an address. */
export function urlOf(host: string, port: number): string {
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

function portIn(args: Args): number | undefined {
  const text = args.text("port")
  if (text === undefined) return undefined
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw usageFault(`--port takes a number from 0 to 65535`)
  return Number(text)
}
