import { createServer } from "node:http"
import type { Duplex } from "node:stream"
import { afterEach, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { openUpgrades, type TextSocket, type Upgrades } from "./websocket.ts"

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

interface Listening {
  readonly url: string
  readonly upgrades: Upgrades
  readonly sockets: TextSocket[]
  readonly streams: Duplex[]
  readonly texts: (string | undefined)[]
}

async function listening(pingMs?: number): Promise<Listening> {
  const upgrades = openUpgrades({ maxFrameBytes: 100, ...(pingMs === undefined ? {} : { pingMs }) })
  const server = createServer()
  const sockets: TextSocket[] = []
  const streams: Duplex[] = []
  const texts: (string | undefined)[] = []
  server.on("upgrade", (request, socket, head) =>
    upgrades.accept(request, socket, head, (accepted) => {
      sockets.push(accepted)
      streams.push(socket)
      return (text) => texts.push(text)
    }),
  )
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  })
  closing.push(
    () => upgrades.closeAll(1001, ""),
    () => new Promise((resolve) => server.close(resolve)),
  )
  return { url: `ws://127.0.0.1:${port}`, upgrades, sockets, streams, texts }
}

async function connected(url: string, options = {}): Promise<WebSocket> {
  const socket = new WebSocket(url, options)
  socket.on("error", () => {})
  await new Promise((resolve) => socket.once("open", resolve))
  return socket
}

function closeOf(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => socket.once("close", resolve))
}

describe("text over WebSocket", () => {
  it("goes both ways; a binary frame has no text", async () => {
    const { url, sockets, texts } = await listening()
    const client = await connected(url)
    const received = new Promise((resolve) => client.once("message", (data: Buffer) => resolve(data.toString())))
    sockets[0]?.send("grüße 😀")
    expect(await received).toBe("grüße 😀")
    client.send("ä")
    client.send(Buffer.from("b"))
    await expect.poll(() => texts).toEqual(["ä", undefined])
  })

  it("of one tick goes out in one write, as separate frames in order", async () => {
    const { url, sockets, streams } = await listening()
    const client = await connected(url)
    const received: string[] = []
    client.on("message", (data: Buffer) => received.push(data.toString()))
    for (const text of ["a", "b", "c"]) sockets[0]?.send(text)
    expect(streams[0]?.writableCorked).toBe(1)
    await expect.poll(() => received).toEqual(["a", "b", "c"])
    expect(streams[0]?.writableCorked).toBe(0)
  })

  it("that was sent just before closing still arrives", async () => {
    const { url, sockets } = await listening()
    const client = await connected(url)
    const received: string[] = []
    client.on("message", (data: Buffer) => received.push(data.toString()))
    sockets[0]?.send("last words")
    sockets[0]?.close(1000, "bye")
    sockets[0]?.send("too late")
    expect(await closeOf(client)).toBe(1000)
    expect(received).toEqual(["last words"])
  })

  it("that is too long closes its own socket only", async () => {
    const { url, upgrades } = await listening()
    const [large, other] = [await connected(url), await connected(url)]
    large.send("x".repeat(101))
    expect(await closeOf(large)).toBe(1009)
    await expect.poll(() => upgrades.size).toBe(1)
    expect(other.readyState).toBe(WebSocket.OPEN)
  })

  it("is not sent to a socket that is closed", async () => {
    const { url, sockets } = await listening()
    const client = await connected(url)
    client.terminate()
    await sockets[0]?.closed
    sockets[0]?.send("late")
    await sockets[0]?.drained()
    expect(sockets[0]?.isOpen).toBe(false)
  })

  it("ends for all sockets with the same code when all are closed", async () => {
    const { url, upgrades } = await listening()
    const clients = [await connected(url), await connected(url)]
    const codes = Promise.all(clients.map(closeOf))
    await upgrades.closeAll(1000, "bye")
    expect(await codes).toEqual([1000, 1000])
    expect(upgrades.size).toBe(0)
  })
})

describe("a peer that does not answer pings", () => {
  it("is closed, and one that answers is not", async () => {
    const { url, upgrades } = await listening(500)
    const silent = closeOf(await connected(url, { autoPong: false }))
    const alive = await connected(url)
    await silent
    await expect.poll(() => upgrades.size).toBe(1)
    expect(alive.readyState).toBe(WebSocket.OPEN)
  })
})
