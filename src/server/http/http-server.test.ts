// Refused connections must close, whatever the peer does.
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { describe, expect, it, onTestFinished } from "vitest"
import { openTestServer } from "./fixtures/test-server.ts"

async function openDoor(warn: (message: string) => void = () => {}) {
  return openTestServer({
    routes: {
      "/broken": () => {
        throw new Error("no such shelf")
      },
    },
    upgrades: { "/ws": async () => ({ status: 401, text: "A token is needed." }) },
    maxConnections: 10,
    pending: { perAddress: 10, all: 10 },
    warn,
  })
}

const upgrade = "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"

describe("a refused connection", () => {
  it.each([
    ["an upgrade", upgrade, "401 Unauthorized"],
    ["something that is not HTTP", "HELO there\r\n\r\n", "400 Bad Request"],
  ])("closes after the reply, also if the peer keeps its side open: %s", async (_, request, status) => {
    const door = await openDoor()
    const socket = connect({ host: "127.0.0.1", port: door.port, allowHalfOpen: true })
    onTestFinished(() => void socket.destroy())
    socket.write(request)
    expect(await text(socket)).toContain(`HTTP/1.1 ${status}`)
    await door.close() // waits for all connections
  })
})

it("a fault is logged in detail, and the caller gets a safe text", async () => {
  const warnings: string[] = []
  const door = await openDoor((message) => warnings.push(message))
  const answer = await fetch(`http://127.0.0.1:${door.port}/broken`)
  expect([answer.status, await answer.text()]).toEqual([500, "Internal server error.\n"])
  expect(warnings).toEqual(["a request failed: Error: no such shelf"])
  await door.close()
})
