// A thousand clients of one socket, and the cost of sending to them in this process.
import { once } from "node:events"
import { createConnection, createServer, type Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"

export const watchers = 1000
const ticks = 100

/** Microseconds per watcher and tick, measured alternately so that other load affects both. */
export async function compare(bare: () => void, door: () => void): Promise<{ bare: number; door: number }> {
  const measured = { bare: 0, door: 0 }
  for (const isWarm of [false, true])
    for (let round = 0; round < (isWarm ? 4 : 1); round++)
      for (const [name, act] of [
        ["bare", bare],
        ["door", door],
      ] as const) {
        const spent = await cpuOf(act)
        if (isWarm) measured[name] += spent / 4
      }
  return measured
}

async function cpuOf(act: () => void): Promise<number> {
  const before = process.cpuUsage()
  for (let tick = 0; tick < ticks; tick++) {
    act()
    await pause(12) // the readers need CPU time, too
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / ticks / watchers
}

export async function bareServer(socket: string) {
  const sockets: Socket[] = []
  const server = createServer((each) => sockets.push(each.on("error", () => each.destroy())))
  server.listen(socket)
  await once(server, "listening")
  return { path: socket, sockets, close: () => server.close() }
}

/** The backlog of a socket is limited; refused connections are retried. */
export async function connected(socket: string): Promise<Socket> {
  for (;;) {
    const reader = createConnection(socket)
    try {
      await once(reader, "connect")
      return reader
    } catch {
      await pause(20)
    }
  }
}

export async function until(isSo: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 30_000; !isSo(); await pause(20))
    if (Date.now() > deadline) throw new Error("the clients did not come")
}

export function repeat(times: number, act: () => void): void {
  for (let time = 0; time < times; time++) act()
}

export function micro(value: number): string {
  return `${value.toFixed(2).padStart(7)} µs`
}

export function milli(value: number): string {
  return `${value.toFixed(1).padStart(7)} ms`
}
