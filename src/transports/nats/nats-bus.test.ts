import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../testing/servers/server-process.ts"
import { startNats } from "../../testing/servers/nats-server.ts"
import { patienceMs, TestBuses } from "./fixtures/buses.ts"
import { echo, Inbox, maxLineBytes } from "./fixtures/links.ts"
import { WINDOW_BYTES } from "./limits.ts"

const place = new TestBuses()
beforeAll(() => place.start())
afterEach(() => place.closeAll())
afterAll(() => place.stop())

describe("links over NATS", () => {
  it("carry lines in order both ways", async () => {
    const { client, host, atClient, atHost } = await place.openPair()
    const numbers = Array.from({ length: 1000 }, (_, number) => `${number} äöü🎉`)
    for (const line of numbers) {
      client.send(line)
      host.sendBytes(Buffer.from(`${line}\n`))
      if (line.startsWith("500")) await new Promise((resolve) => setImmediate(resolve))
    }
    await expect.poll(() => atHost.lines.length + atClient.lines.length).toBe(2000)
    expect(atHost.lines).toEqual(numbers)
    expect(atClient.lines).toEqual(numbers)
  })

  it("carry lines of 5 MiB both ways at once", async () => {
    const { client, host, atClient, atHost } = await place.openPair()
    const long = "é🎉".repeat((5 * 1024 * 1024) / 6)
    client.send(long)
    host.send(`${long}!`)
    await expect.poll(() => atHost.lines.length + atClient.lines.length).toBe(2)
    expect(atHost.lines[0] === long && atClient.lines[0] === `${long}!`).toBe(true)
  })

  it("are independent: many at once over one connection", async () => {
    const bus = place.openBus()
    await place.openBus().listen("host", maxLineBytes, echo)
    const inboxes = Array.from({ length: 100 }, () => new Inbox())
    const links = await Promise.all(
      inboxes.map((inbox) => bus.connect("host", maxLineBytes, inbox.onConnection, patienceMs)),
    )
    links.forEach((link, index) => link.send(`line of ${index}`))
    await expect.poll(() => inboxes.every(({ lines }) => lines.length === 1)).toBe(true)
    expect(inboxes.map(({ lines }) => lines[0])).toEqual(links.map((_, index) => `line of ${index}`))
    expect(bus.counters).toMatchObject({ openLinks: 100, rejected: 0, reconnects: 0 })
    expect(bus.counters.messagesIn).toBeGreaterThanOrEqual(200)
    for (const link of links) link.destroy()
    expect(bus.counters.openLinks).toBe(0)
  })

  it("report a line that is too long", async () => {
    const inbox = new Inbox()
    await place.openBus().listen("host", 10, inbox.onConnection)
    const link = await place.openBus().connect("host", 10, echo, patienceMs)
    link.send("12345678901")
    link.send("1234567890")
    await expect.poll(() => inbox.lines).toEqual(["too-long", "1234567890"])
  })

  it.each(["end", "destroy"] as const)("deliver what was sent before %s, on both ends", async (leave) => {
    const { client, host, atHost } = await place.openPair()
    client.send("last words")
    client[leave]()
    await Promise.all([client.closed, host.closed])
    expect(atHost.lines).toEqual(["last words"])
  })

  it("deliver what was sent before the bus is closed", async () => {
    const atHost = new Inbox()
    await place.openBus().listen("host", maxLineBytes, atHost.onConnection)
    const bus = place.openBus()
    const link = await bus.connect("host", maxLineBytes, echo, patienceMs)
    const long = "x".repeat(3 * WINDOW_BYTES)
    link.send(long)
    await bus.close()
    await expect.poll(() => atHost.lines.length).toBe(1)
    expect(atHost.lines[0] === long).toBe(true)
    expect(bus.state).toBe("closed")
    await expect(bus.connect("host", maxLineBytes, echo, patienceMs)).rejects.toThrow(/is closed/)
  })

  it("keep what a paused reader has not read at the sender, and deliver it when it resumes", async () => {
    const { client, host, atHost } = await place.openPair()
    const line = Buffer.from(`${"x".repeat(99_999)}\n`)
    host.pause()
    for (let sent = 0; sent < 200; sent++) client.sendBytes(line) // 20 MB, of the same buffer
    await expect.poll(() => client.waiting).toBeGreaterThan(19_000_000)
    expect(atHost.lines).toEqual([])
    const drained = client.drained()
    host.resume()
    await drained
    await expect.poll(() => atHost.lines.length).toBe(200)
    expect(client.waiting).toBe(0)
  })
})

describe("a link that cannot be opened", () => {
  it("is refused at once when no process listens for the host", async () => {
    const fault = place.openBus().connect("nowhere", maxLineBytes, echo, patienceMs)
    await expect(fault).rejects.toMatchObject({ kind: "no-host", message: /^host nowhere does not listen on NATS at/ })
  })

  it("is refused for another key, which the host counts and reports once", async () => {
    const warnings: string[] = []
    const inbox = new Inbox()
    const host = place.openBus({ warn: (message) => warnings.push(message) })
    await host.listen("host", maxLineBytes, inbox.onConnection)
    const stranger = place.openBus({ key: Buffer.alloc(32, 8) })
    for (let attempt = 0; attempt < 3; attempt++)
      await expect(stranger.connect("host", maxLineBytes, echo, patienceMs)).rejects.toMatchObject({ kind: "refused" })
    expect(host.counters).toMatchObject({ rejected: 3, openLinks: 0 })
    expect(warnings).toEqual([
      `NATS at 127.0.0.1:${place.nats.port}: a request for a link to host host was made with another key. Copy the same keys to all nodes of the cluster.`,
    ])
    expect(inbox.connections).toEqual([])
  })

  it("is refused between clusters", async () => {
    await place.openBus().listen("host", maxLineBytes, echo)
    const fault = place.openBus({ cluster: "other" }).connect("host", maxLineBytes, echo, patienceMs)
    await expect(fault).rejects.toMatchObject({ kind: "no-host" })
  })

  it("is given up when the host does not answer in time", async () => {
    const { connection } = await place.openSpy()
    connection.subscribe("turnhouse.test.host.silent")
    await connection.flush()
    const bus = place.openBus()
    await bus.listen("other", maxLineBytes, echo) // so that it has reached NATS
    const fault = bus.connect("silent", maxLineBytes, echo, 100)
    await expect(fault).rejects.toMatchObject({ kind: "no-answer" })
  })

  it("is given up when NATS cannot be reached, without showing credentials", async () => {
    const [port, other] = [await freePort(), await freePort()]
    const warnings: string[] = []
    const bus = place.openBus({
      url: `nats://user:secret@127.0.0.1:${port},tls://token-secret@127.0.0.1:${other}`,
      warn: (message) => warnings.push(message),
    })
    const fault: unknown = await bus.connect("host", maxLineBytes, echo, 100).catch((thrown: unknown) => thrown)
    expect(String(fault)).toContain(`NATS at 127.0.0.1:${port}, 127.0.0.1:${other} cannot be reached (`)
    expect(fault).toMatchObject({ kind: "unreachable" })
    await expect.poll(() => warnings.length).toBe(1)
    expect(String(fault) + warnings.join("")).not.toContain("secret")
    expect(bus.state).toBe("connecting")
  })

  it("is given up when tls:// is configured and NATS does not offer TLS", async () => {
    const warnings: string[] = []
    const bus = place.openBus({ url: `tls://127.0.0.1:${place.nats.port}`, warn: (text) => warnings.push(text) })
    await expect(bus.connect("host", maxLineBytes, echo, 100)).rejects.toMatchObject({ kind: "unreachable" })
    await expect.poll(() => warnings.join("")).toContain("does not support 'tls'")
  })

  it("is given up when NATS refuses the credentials, which are not shown", async () => {
    const strict = await startNats(["--user", "user", "--pass", "right-secret"])
    place.onCleanup(() => strict.stop())
    const address = `127.0.0.1:${strict.port}`
    const warnings: string[] = []
    const wrong = place.openBus({ url: `nats://user:wrong-secret@${address}`, warn: (text) => warnings.push(text) })
    await expect(wrong.connect("host", maxLineBytes, echo, 100)).rejects.toMatchObject({ kind: "unreachable" })
    await expect.poll(() => warnings).toHaveLength(1)
    expect(warnings[0]).toContain(`NATS at ${address} cannot be reached (Authorization Violation).`)
    const right = place.openBus({ url: `nats://user:right-secret@${address}` })
    await right.listen("host", maxLineBytes, echo)
    await right.connect("host", maxLineBytes, echo, patienceMs)
  })
})
