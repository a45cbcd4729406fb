// Whose allowance somebody uses up of whom no more is known than where they come from. Behind a proxy that is what the
// proxy itself has added, the last word: everything before it the caller may have made up. Who has one IPv6 address has
// all of its network.
import { isIPv6 } from "node:net"
import type { Asked } from "../http/request.ts"

export function callerAddress({ address, headers }: Asked, isBehindProxy: boolean): string {
  const forwarded = headers["x-forwarded-for"]
  const list = typeof forwarded === "string" && isBehindProxy ? forwarded.split(",") : []
  return networkOf(withoutPort(list.at(-1)?.trim() || address))
}

/** Some proxies write down from which port somebody came: it is another one each time. */
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
