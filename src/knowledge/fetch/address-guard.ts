// Which network addresses may be fetched: those of the public internet. Loopback, private, link-local and reserved
// addresses are refused in every notation.
import { BlockList, isIPv4, isIPv6 } from "node:net"

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !closed.check(address, "ipv4")
  if (!isIPv6(address)) return false
  const inside = embeddedIPv4(address)
  if (inside !== undefined) return isPublicAddress(inside)
  return !closed.check(address, "ipv6")
}

const closed = new BlockList()
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  closed.addSubnet(network, bits, "ipv4")
}
for (const [network, bits] of [
  ["::", 96], // unspecified, loopback, IPv4-compatible
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["3fff::", 20],
  ["5f00::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const) {
  closed.addSubnet(network, bits, "ipv6")
}

/** IPv6 addresses that embed an IPv4 address: mapped, translated (64:ff9b::/96) and 6to4 (2002::/16). */
function embeddedIPv4(address: string): string | undefined {
  const groups = groupsOf(address)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  const isTranslated = groups[0] === 0x64 && groups[1] === 0xff9b && groups.slice(2, 6).every((group) => group === 0)
  if (isMapped || isTranslated) return dotted(groups[6] ?? 0, groups[7] ?? 0)
  return groups[0] === 0x2002 ? dotted(groups[1] ?? 0, groups[2] ?? 0) : undefined
}

/** The URL parser normalises IPv6 addresses to hexadecimal groups. */
function groupsOf(address: string): readonly number[] {
  const host = new URL(`http://[${address.split("%")[0] ?? ""}]/`).hostname.slice(1, -1)
  const [before = "", after] = host.split("::")
  const head = before === "" ? [] : before.split(":")
  const tail = after === undefined || after === "" ? [] : after.split(":")
  const gap = after === undefined ? [] : Array.from({ length: 8 - head.length - tail.length }, () => "0")
  return [...head, ...gap, ...tail].map((group) => Number.parseInt(group, 16))
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".")
}
