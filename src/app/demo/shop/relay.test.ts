import { connect, createServer, type AddressInfo, type Server } from "node:net"
import { once } from "node:events"
import { afterEach, describe, expect, it } from "vitest"
import { Relay } from "./relay.ts"

let echo: Server | undefined
let relay: Relay | undefined
afterEach(() => {
  relay?.close()
  echo?.close()
})

async function open(): Promise<Relay> {
  echo = createServer((socket) => socket.on("error", () => {}).pipe(socket)).listen(0, "127.0.0.1")
  await once(echo, "listening")
  const address: AddressInfo | string | null = echo.address()
  return (relay = await Relay.open(address !== null && typeof address === "object" ? address.port : 0))
}

async function echoed(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1")
  socket.write(text)
  const [data] = await once(socket, "data")
  socket.destroy()
  return String(data)
}

describe("a relay", () => {
  it("passes bytes in both directions", async () => {
    const { port } = await open()
    expect(await echoed(port, "hello")).toBe("hello")
  })

  it("loses connections when it is cut, refuses new ones, and works again when it is restored", async () => {
    const cut = await open()
    const socket = connect(cut.port, "127.0.0.1").on("error", () => {})
    socket.write("hello")
    await once(socket, "data")
    const closed = new Promise((resolve) => socket.once("close", resolve))
    cut.cut()
    await closed
    await expect(echoed(cut.port, "again")).rejects.toThrow(/ECONNRESET|closed/)
    cut.restore()
    expect(await echoed(cut.port, "back")).toBe("back")
  })
})
