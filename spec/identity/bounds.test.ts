// Memory that unauthenticated clients can make a real server use: unfinished frames, and requests that never end.
import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { describe, expect, it } from "vitest"
import type { WsClient } from "../../src/testing/doors/served-ws.ts"
import { eventually } from "../e2e/eventually.ts"
import { served } from "./served.ts"

const MiB = 1024 * 1024

/** Sends part of a message. Resolves when the server has read it, or has closed the socket. */
async function begin(client: WsClient, bytes: number): Promise<void> {
  client.socket.send(Buffer.alloc(bytes, "x"), { fin: false, binary: false })
  const answered = new Promise((resolve) => client.socket.once("pong", resolve))
  client.socket.ping()
  await Promise.race([answered, client.closed])
}

/** Peak memory of a process in MiB. */
function peakOf(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024
}

describe("unfinished frames", () => {
  const server = served({})

  it("of 100 unauthenticated clients are limited to 64 KiB each", async () => {
    const clients = await Promise.all(Array.from({ length: 100 }, () => server().connect()))
    await Promise.all(clients.map((client) => begin(client, MiB)))
    const codes = await Promise.all(clients.map(async (client) => (await client.closed).code))
    expect(new Set(codes)).toEqual(new Set([1009]))
    expect(peakOf(server().running.pid)).toBeLessThan(600)
  })

  it("may have the full size once a session exists", async () => {
    const client = await server().connect()
    await begin(client, 60 * 1024)
    client.socket.send("", { fin: true })
    await client.next("error")
    const { sessionId } = await client.create()
    const images = [{ url: `data:image/png;base64,${"QUJD".repeat(MiB)}` }]
    client.say({ action: "send_message", requestId: "r", sessionId, message: "hi", images })
    expect(await client.end("r")).toMatchObject({ type: "eventual_response" })
    await begin(client, 17 * MiB)
    expect((await client.closed).code).toBe(1009)
  })

  it("close the newest connection when they exceed 64 MiB in total, and the others continue", async () => {
    const clients: WsClient[] = []
    for (let n = 0; n < 6; n++) {
      const client = await server().connect()
      await client.create()
      await begin(client, 10 * MiB)
      clients.push(client)
    }
    const newest = await server().connect()
    await newest.create()
    await begin(newest, 10 * MiB)
    expect((await newest.closed).code).toBe(1013)
    clients[5]?.socket.send("", { fin: true })
    expect(await clients[5]?.next("error")).toMatchObject({ error: { code: "VALIDATION_ERROR" } })
    for (const client of clients) await client.close()
    const later = await server().connect()
    await later.create()
    await begin(later, 10 * MiB)
    later.socket.send("", { fin: true })
    expect(await later.next("error")).toMatchObject({ error: { code: "VALIDATION_ERROR" } })
  })
})

describe("half-sent requests", () => {
  const server = served({ server: { limits: { sockets: 10 } } })

  it("of one address do not lock other clients out, and only a few of them stay", async (test) => {
    const port = Number(new URL(server().url).port)
    const open = new Set<Socket>()
    test.onTestFinished(() => open.forEach((socket) => socket.destroy()))
    const half = () =>
      new Promise<void>((resolve) => {
        const socket = connect(port, "127.0.0.1", () =>
          socket.write("GET /ws HTTP/1.1\r\nHost: local", () => resolve()),
        )
        open.add(socket)
        socket.on("error", () => {}).on("close", () => open.delete(socket) && resolve())
        socket.resume()
      })
    for (let n = 0; n < 15; n++) await Promise.all(Array.from({ length: 100 }, half))
    const client = await server().connect()
    await client.create()
    await eventually("all but a few are closed", async () => {
      await half()
      return open.size <= 150 || undefined
    })
    await client.settled()
    expect(client.types(undefined)).toEqual([])
  })
})
