// Connections that are turned away: they must not stay, whatever their peer does with its side.
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { describe, expect, it, onTestFinished } from "vitest"
import { openHttpDoor } from "./http-server.ts"

async function openDoor(warn: (message: string) => void = () => {}) {
  return openHttpDoor({
    host: "127.0.0.1",
    port: 0,
    guests: { isLocal: true, names: undefined, mayCome: () => false },
    routes: {
      "/broken": () => {
        throw new Error("no such shelf")
      },
    },
    upgrades: { "/ws": async () => ({ status: 401, text: "A token is needed." }) },
    maxConnections: 10,
    lobby: { perAddress: 10, all: 10 },
    note: () => {},
    newId: () => "req_1",
    now: Date.now,
    warn,
  })
}

const upgrade = "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"

describe("a connection that is turned away", () => {
  it.each([
    ["an upgrade", upgrade, "401 Unauthorized"],
    ["something that is not HTTP", "HELO there\r\n\r\n", "400 Bad Request"],
  ])("is over when it was told so, also where its peer stays: %s", async (_, words, status) => {
    const door = await openDoor()
    const socket = connect({ host: "127.0.0.1", port: door.port, allowHalfOpen: true })
    onTestFinished(() => void socket.destroy())
    socket.write(words)
    expect(await text(socket)).toContain(`HTTP/1.1 ${status}`)
    await door.close() // waits for every connection that there is
  })
})

it("a fault of ours is told to whoever runs the server, and the caller only that there was one", async () => {
  const warnings: string[] = []
  const door = await openDoor((message) => warnings.push(message))
  const answer = await fetch(`http://127.0.0.1:${door.port}/broken`)
  expect([answer.status, await answer.text()]).toEqual([500, "This could not be answered.\n"])
  expect(warnings).toEqual(["a request could not be answered: Error: no such shelf"])
  await door.close()
})
