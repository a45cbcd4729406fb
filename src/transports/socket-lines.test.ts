import { mkdtempSync, rmSync } from "node:fs"
import { createConnection, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import type { LineConnection } from "./line-connection.ts"
import { listenOnSocket } from "./unix-socket.ts"

/** A slow machine must not fail the test. */
const patient = { timeout: 30_000 }
const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

/** The two ends of a connection: ours, and a bare socket. */
async function pair(): Promise<{ ours: LineConnection; peer: Socket; received: string[]; ended: Promise<unknown> }> {
  const folder = mkdtempSync(join(tmpdir(), "lines-"))
  const path = join(folder, "s.sock")
  const arrived = Promise.withResolvers<LineConnection>()
  const listener = await listenOnSocket(
    path,
    100,
    () => true,
    (connection) => {
      arrived.resolve(connection)
      return () => {}
    },
  )
  const peer = createConnection(path)
  const received: string[] = []
  peer.on("data", (chunk: Buffer) => received.push(chunk.toString()))
  const ended = new Promise((resolve) => peer.on("close", resolve))
  cleanups.push(
    () => rmSync(folder, { recursive: true, force: true }),
    () => listener.close(),
    () => void peer.destroy(),
  )
  return { ours: await arrived.promise, peer, received, ended }
}

describe("lines over a socket", () => {
  it("that are sent together go out in one write, in order", async () => {
    const { ours, received } = await pair()
    ours.send("one")
    ours.sendBytes(Buffer.from("two\n"))
    ours.send("three")
    expect(ours.waiting).toBe("one\ntwo\nthree\n".length)
    await expect.poll(() => received.join(""), patient).toBe("one\ntwo\nthree\n")
    expect(received).toHaveLength(1)
  })

  it("are delivered when the connection is ended or destroyed right after them", async () => {
    for (const leave of ["end", "destroy"] as const) {
      const { ours, received, ended } = await pair()
      ours.send("last words")
      ours[leave]()
      await ended
      expect(received.join("")).toBe("last words\n")
    }
  })

  it("to a peer that is gone are dropped without an error", async () => {
    const { ours, peer } = await pair()
    peer.destroy()
    await ours.closed
    ours.send("hello?")
    await ours.drained()
    expect(ours.waiting).toBe(0)
  })

  it("that are not read are counted, and drained when they are", async () => {
    const { ours, peer } = await pair()
    peer.pause()
    for (let line = 0; line < 100; line++) ours.send("x".repeat(100_000))
    await new Promise((resolve) => setImmediate(resolve))
    expect(ours.waiting).toBeGreaterThan(1_000_000)
    const drained = ours.drained()
    peer.resume()
    await drained
    expect(ours.waiting).toBe(0)
  })
})
