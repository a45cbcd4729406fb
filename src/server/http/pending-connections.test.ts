import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { PendingConnections, type PendingLimits } from "./pending-connections.ts"

let time = 0

async function openPending(limits: PendingLimits) {
  const pending = new PendingConnections(limits, () => time)
  const accepted: Socket[] = []
  const server = createServer((socket) => void accepted.push(socket.on("error", () => {})))
  pending.track(server)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const arrive = async () => {
    const client = connect(port, "127.0.0.1").on("error", () => {})
    const before = accepted.length
    while (accepted.length === before) await once(server, "connection")
    return client
  }
  onTestFinished(() => {
    for (const socket of accepted) socket.destroy()
    server.close()
  })
  return { pending, accepted, arrive }
}

it("closes the longest silent connection of an address after a second", async () => {
  const { pending, accepted, arrive } = await openPending({ perAddress: 2, all: 100 })
  const first = await arrive()
  await arrive()
  await arrive()
  expect(pending.size).toBe(3)
  pending.refresh(accepted[1] ?? first)
  time += 2000
  pending.refresh(accepted[2] ?? first)
  const closed = once(first, "close")
  await arrive()
  await closed
  expect(pending.size).toBe(2)
  expect(accepted.map(({ destroyed }) => destroyed)).toEqual([true, true, false, false])
})

it("closes the longest silent connection at the total limit", async () => {
  const { pending, arrive } = await openPending({ perAddress: Infinity, all: 2 })
  const first = await arrive()
  await arrive()
  await Promise.all([arrive(), once(first, "close")])
  expect(pending.size).toBe(2)
})

it("does not count upgraded and closed connections", async () => {
  const { pending, accepted, arrive } = await openPending({ perAddress: 1, all: 2 })
  const client = await arrive()
  const [socket] = accepted
  pending.leave(socket ?? client)
  time += 5000
  const second = await arrive()
  expect([pending.size, socket?.destroyed]).toEqual([1, false])
  const closed = once(accepted[1] ?? second, "close")
  second.destroy()
  await closed
  expect(pending.size).toBe(0)
})

it("counts addresses of one network together", async () => {
  const { pending, accepted, arrive } = await openPending({ perAddress: 1, all: 9, networkOf: () => "all" })
  const first = await arrive()
  time += 5000
  await Promise.all([arrive(), once(first, "close")])
  expect([pending.size, accepted.length]).toEqual([1, 2])
})
