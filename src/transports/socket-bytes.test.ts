import { mkdtempSync, rmSync } from "node:fs"
import { createConnection, createServer, type Socket } from "node:net"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { attachBytes, type AtBrokenPipe } from "./socket-bytes.ts"

const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

/** What one side hears of another that speaks and leaves, when it has written something in between. */
async function heardFromOneWhoLeft(manner: AtBrokenPipe): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "bytes-"))
  const server = createServer().listen(join(folder, "s"))
  cleanups.push(
    () => rmSync(folder, { recursive: true }),
    () => void server.close(),
  )
  await once(server, "listening")
  const theirs = createConnection(join(folder, "s"))
  const [socket] = await Promise.all([
    new Promise<Socket>((resolve) => server.once("connection", resolve)),
    once(theirs, "connect"),
  ])
  let heard = ""
  const bytes = (chunk: Uint8Array) => (heard += Buffer.from(chunk).toString())
  const ours = attachBytes(socket, () => ({ bytes, end: () => (heard += ".") }), manner)
  theirs.write("farewell")
  theirs.destroy()
  ours.send("are you there?") // is written before anything is read, and fails
  await ours.drained()
  await ours.closed
  return heard
}

describe("bytes over a socket", () => {
  it("of one who cannot be written to any more are still read where that is wanted", async () => {
    expect(await heardFromOneWhoLeft("reads on")).toBe("farewell.")
  })

  it("are lost with the connection elsewhere", async () => {
    expect(await heardFromOneWhoLeft("closes")).toBe("")
  })
})
