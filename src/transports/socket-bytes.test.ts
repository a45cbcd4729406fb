import { mkdtempSync, rmSync } from "node:fs"
import { createConnection, createServer, type Socket } from "node:net"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { attachBytes, type OnBrokenPipe } from "./socket-bytes.ts"

const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

/** What one side reads from a peer that sends and disconnects, if it writes in between. */
async function readFromPeerThatLeft(onBrokenPipe: OnBrokenPipe): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "bytes-"))
  const server = createServer().listen(join(folder, "s"))
  cleanups.push(
    () => rmSync(folder, { recursive: true }),
    () => void server.close(),
  )
  await once(server, "listening")
  const peer = createConnection(join(folder, "s"))
  const [socket] = await Promise.all([
    new Promise<Socket>((resolve) => server.once("connection", resolve)),
    once(peer, "connect"),
  ])
  let received = ""
  const bytes = (chunk: Uint8Array) => (received += Buffer.from(chunk).toString())
  const ours = attachBytes(socket, () => ({ bytes, end: () => (received += ".") }), onBrokenPipe)
  peer.write("farewell")
  peer.destroy()
  ours.send("are you there?") // is written before anything is read, and fails
  await ours.drained()
  await ours.closed
  return received
}

describe("bytes over a socket", () => {
  it("of a peer that cannot be written to any more are still read with `keep reading`", async () => {
    expect(await readFromPeerThatLeft("keep reading")).toBe("farewell.")
  })

  it("are lost with the connection otherwise", async () => {
    expect(await readFromPeerThatLeft("close")).toBe("")
  })
})
