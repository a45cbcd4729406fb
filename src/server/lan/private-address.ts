// Addresses that only the local network can reach.
import { isIPv4 } from "node:net"
import type { NetworkInterfaceInfo } from "node:os"

/** Private networks, and the shared address space that virtual private networks use. */
const networks: readonly (readonly [network: string, bits: number])[] = [
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["100.64.0.0", 10],
]

export function isPrivateAddress(address: string): boolean {
  return isIPv4(address) && networks.some(([network, bits]) => prefix(address, bits) === prefix(network, bits))
}

/** Of this machine, in the order of its interfaces. */
export function privateAddresses(interfaces: NodeJS.Dict<readonly NetworkInterfaceInfo[]>): readonly string[] {
  const all = Object.values(interfaces).flatMap((found) => found ?? [])
  return all.flatMap(({ address, internal }) => (!internal && isPrivateAddress(address) ? [address] : []))
}

function prefix(address: string, bits: number): number {
  const value = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0)
  return Math.floor(value / 2 ** (32 - bits))
}
