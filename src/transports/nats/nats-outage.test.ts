import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../testing/servers/server-process.ts"
import { startNats } from "../../testing/servers/nats-server.ts"
import { patienceMs, TestBuses } from "./fixtures/buses.ts"
import { echo, Inbox, maxLineBytes } from "./fixtures/links.ts"
import { WINDOW_BYTES } from "./limits.ts"

async function slowConsumers(monitoring: number): Promise<unknown> {
  const answer: unknown = await (await fetch(`http://127.0.0.1:${monitoring}/varz`)).json()
  return typeof answer === "object" && answer !== null && "slow_consumers" in answer ? answer.slow_consumers : undefined
}

const silent = () => () => {}

function configFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "nats-"))
  place.onCleanup(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, "nats.conf"), `${text}\n`)
  return join(folder, "nats.conf")
}

const place = new TestBuses()
beforeAll(() => place.start())
afterEach(() => place.closeAll())
afterAll(() => place.stop())

describe("when a process or NATS is gone", () => {
  it("links to a killed process end", async () => {
    const child = await place.startEcho()
    const inbox = new Inbox()
    const bus = place.openBus()
    const link = await bus.connect("echo", maxLineBytes, inbox.onConnection, patienceMs)
    link.send("hello")
    await expect.poll(() => inbox.lines).toEqual(["hello"])
    child.kill("SIGKILL")
    await link.closed
    await expect(bus.connect("echo", maxLineBytes, echo, patienceMs)).rejects.toMatchObject({ kind: "no-host" })
  })

  it("links end with NATS, and it is used again when it is back", async () => {
    const own = await startNats()
    place.onCleanup(() => own.stop())
    const [client, host] = [place.openBus({ url: own.url }), place.openBus({ url: own.url })]
    const states: string[] = []
    client.onState((state) => states.push(state))
    const atHost = new Inbox()
    await host.listen("host", maxLineBytes, atHost.onConnection)
    const link = await client.connect("host", maxLineBytes, echo, patienceMs)
    await expect.poll(() => atHost.connections).toHaveLength(1)
    await own.process.stop("SIGKILL")
    await Promise.all([link.closed, atHost.connection.closed])
    await expect(client.connect("host", maxLineBytes, echo, 300)).rejects.toMatchObject({ kind: "unreachable" })
    link.send("nothing hears this")
    await own.start()
    await expect.poll(() => host.state).toBe("connected")
    const second = await client.connect("host", maxLineBytes, echo, patienceMs)
    second.send("again")
    await expect.poll(() => atHost.lines).toEqual(["again"])
    expect(states).toEqual(["connecting", "connected", "connecting", "connected"])
    expect(client.counters.reconnects).toBe(1)
  })

  it("links end when NATS is frozen, and it is used again when it goes on", async () => {
    const own = await startNats()
    place.onCleanup(() => own.stop())
    place.onCleanup(() => own.process.signal("SIGCONT"))
    const [client, host] = [place.openBus({ url: own.url }), place.openBus({ url: own.url })]
    await host.listen("host", maxLineBytes, echo)
    const link = await client.connect("host", maxLineBytes, echo, patienceMs)
    own.process.signal("SIGSTOP")
    for (let sent = 0; sent < 10_000; sent++) link.send("x".repeat(1000))
    await link.closed
    await expect.poll(() => [client.state, host.state]).toEqual(["connecting", "connecting"])
    own.process.signal("SIGCONT")
    await expect.poll(() => [client.state, host.state]).toEqual(["connected", "connected"])
    const inbox = new Inbox()
    const next = await client.connect("host", maxLineBytes, inbox.onConnection, patienceMs)
    next.send("again")
    await expect.poll(() => inbox.lines).toEqual(["again"])
  })

  it("a peer learns at the reconnect of a link that was lost with its connection", async () => {
    const slow = { timings: { tickMs: 600_000 } } // no link ends because of silence
    const proxy = await place.openProxy()
    const atHost = new Inbox()
    await place.openBus(slow).listen("host", maxLineBytes, atHost.onConnection)
    const client = place.openBus({ ...slow, url: proxy.url })
    const link = await client.connect("host", maxLineBytes, echo, patienceMs)
    await atHost.connected
    proxy.cut()
    await Promise.all([link.closed, atHost.connection.closed])
    expect(await client.connect("host", maxLineBytes, echo, patienceMs)).toMatchObject({ waiting: 0 })
  })

  it("links end when NATS drops a slow consumer, which listens again when it reads", async () => {
    const monitoring = await freePort()
    const own = await startNats(["-m", String(monitoring), "-c", configFile("max_pending: 1MB")])
    place.onCleanup(() => own.stop())
    const child = await place.startEcho(own.url)
    const bus = place.openBus({ url: own.url, timings: { tickMs: 600_000 } })
    const links = await Promise.all(
      Array.from({ length: 60 }, () => bus.connect("echo", maxLineBytes, silent, patienceMs)),
    )
    child.kill("SIGSTOP")
    for (const link of links) link.send("x".repeat(WINDOW_BYTES)) // 30 MB, more than sockets hold
    await expect.poll(() => slowConsumers(monitoring)).toBe(1)
    child.kill("SIGCONT")
    await Promise.all(links.map(({ closed }) => closed))
    const inbox = new Inbox()
    const link = await bus.connect("echo", maxLineBytes, inbox.onConnection, patienceMs)
    link.send("again")
    await expect.poll(() => inbox.lines).toEqual(["again"])
  })

  it("listens as soon as NATS is there, also when it was not at the start", async () => {
    const own = await startNats()
    await own.stop()
    place.onCleanup(() => own.stop())
    const [client, host] = [place.openBus({ url: own.url }), place.openBus({ url: own.url })]
    await host.listen("host", maxLineBytes, echo)
    expect(host.state).toBe("connecting")
    await own.start()
    await expect.poll(() => host.state).toBe("connected")
    const inbox = new Inbox()
    const link = await client.connect("host", maxLineBytes, inbox.onConnection, patienceMs)
    link.send("hello")
    await expect.poll(() => inbox.lines).toEqual(["hello"])
  })
})
