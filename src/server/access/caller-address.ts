// The account of a caller that is known only by address. Behind a proxy it is the last forwarded address, which the
// proxy added: callers can forge the others. An IPv6 address counts as its /64 network.
import { isIPv6 } from "node:net"
import type { HttpRequest } from "../http/request.ts"

export function callerAddress({ address, headers }: HttpRequest, isBehindProxy: boolean): string {
  const forwarded = headers["x-forwarded-for"]
  const list = typeof forwarded === "string" && isBehindProxy ? forwarded.split(",") : []
  return networkOf(withoutPort(list.at(-1)?.trim() || address))
}

/** Some proxies append the port, which differs for each connection. */
function withoutPort(address: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address
}

export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d)/i, "").slice(0, 45)
  return isIPv6(plain) ? `${groups(plain).slice(0, 4).join(":")}::` : plain
}

function groups(address: string): readonly string[] {
  const [head = "", tail] = address.toLowerCase().split("::")
  const [before, after] = [head, tail ?? ""].map((part) => part.split(":").filter((group) => group !== ""))
  const missing = tail === undefined ? 0 : 8 - (before?.length ?? 0) - (after?.length ?? 0)
  return [...(before ?? []), ...Array<string>(Math.max(0, missing)).fill("0"), ...(after ?? [])]
}
