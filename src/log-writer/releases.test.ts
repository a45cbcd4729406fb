// A home that two releases share: the newer one writes it.
import { mkdirSync } from "node:fs"
import { createServer, type Server, type Socket } from "node:net"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { hostNamed, refusalOf } from "../log/fixtures.ts"
import { bind } from "../transports/unix-socket.ts"
import { version } from "../program/program-files.ts"
import { openFresh, type LogWithWriter } from "./fixtures.ts"
import { makeLink, nameOf, removeLink } from "./place.ts"
import { clientFrameIn, encode, protocolVersion } from "./wire.ts"

let opened: LogWithWriter
let server: Server | undefined

beforeEach(() => {
  opened = openFresh()
})
afterEach(async () => {
  server?.close()
  server = undefined
  await opened.remove()
})

/** A writer of another release in this process: it says hello and leaves when it is asked to. */
async function otherRelease(protocol: number): Promise<readonly string[]> {
  const { place } = opened
  const self = nameOf(process.pid) ?? ""
  const received: string[] = []
  const serving = createServer((socket: Socket) => {
    socket.on("error", () => {})
    socket.write(encode({ hello: { protocol, schema: 1, release: "9.9.9" } }))
    socket.on("data", (bytes) => {
      for (const line of bytes.toString().trim().split("\n")) received.push(Object.keys(clientFrameIn(line)).join())
      removeLink(place.current, self)
      serving.close()
      socket.end()
    })
  })
  server = serving
  mkdirSync(place.folder)
  await bind(serving, join(place.folder, self))
  makeLink(self, place.current)
  return received
}

describe("a client of the log writer", () => {
  it("ends a writer of an older release and starts its own", async () => {
    const received = await otherRelease(protocolVersion - 1)
    const registered = await opened.log.registerHost(hostNamed("first", process.pid))
    expect(registered.kind).toBe("ok")
    expect(received).toEqual(["leave"])
    expect(opened.writer()).not.toBe(nameOf(process.pid))
  })

  it("refuses to write while a writer of a newer release runs, and says so", async () => {
    const received = await otherRelease(protocolVersion + 1)
    const registered = await opened.log.registerHost(hostNamed("first", process.pid))
    const releases = `${opened.path} is in use by Turnhouse 9.9.9, this is ${version()}`
    const what = `${releases}. Upgrade, end the processes of the other one, or set TURNHOUSE_HOME to another folder.`
    expect(refusalOf(registered)).toEqual({ code: "log.unavailable", what })
    expect(received).toEqual([])
  })
})
