import { expect, it } from "vitest"
import { isPrivateAddress, privateAddresses } from "./private-address.ts"

it.each(["10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.1", "192.168.1.20", "100.64.0.1", "100.127.0.1"])(
  "counts %s as private",
  (address) => expect(isPrivateAddress(address)).toBe(true),
)

it.each(["11.0.0.1", "172.15.0.1", "172.32.0.1", "192.169.0.1", "100.128.0.1", "8.8.8.8", "0.0.0.0", "::1", "box", ""])(
  "does not count %s as private",
  (address) => expect(isPrivateAddress(address)).toBe(false),
)

it("finds the private addresses of the interfaces of a machine", () => {
  const info = { netmask: "", mac: "", cidr: null, family: "IPv4" } as const
  const interfaces = {
    lo: [{ ...info, address: "127.0.0.1", internal: true }],
    eth0: [{ ...info, address: "203.0.113.7", internal: false }],
    wlan0: [{ ...info, address: "192.168.1.20", internal: false }],
    none: undefined,
  }
  expect(privateAddresses(interfaces)).toEqual(["192.168.1.20"])
})
