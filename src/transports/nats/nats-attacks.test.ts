import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { patienceMs, TestBuses } from "./fixtures/buses.ts"
import { clusterKey, echo, Inbox, maxLineBytes } from "./fixtures/links.ts"
import { linkSecrets, type LinkSecrets } from "./handshake.ts"
import { Sealer } from "./sealing.ts"

const place = new TestBuses()
beforeAll(() => place.start())
afterEach(() => place.closeAll())
afterAll(() => place.stop())

describe("what others on NATS can do without the key", () => {
  it("is not to read lines", async () => {
    const { seen } = await place.openSpy()
    const { client, atHost } = await place.openPair()
    client.send("a confidential line")
    await expect.poll(() => atHost.lines).toEqual(["a confidential line"])
    await expect.poll(() => seen.filter(({ subject }) => subject.includes(".link."))).not.toHaveLength(0)
    const all = Buffer.concat(seen.map(({ data }) => data)).toString("latin1")
    expect(all.includes("confidential")).toBe(false)
    expect(all.includes(clusterKey.toString("latin1"))).toBe(false)
  })

  it("is not to forge lines: these are ignored", async () => {
    const { connection, seen } = await place.openSpy()
    const { client, host, atHost } = await place.openPair()
    client.send("real")
    await expect.poll(() => seen.filter(({ subject }) => subject.includes(".link.")).length).toBeGreaterThan(1)
    const subjects = new Set(seen.map((message) => message.subject))
    for (const subject of subjects) {
      connection.publish(subject, "forged\n")
      connection.publish(subject, Buffer.alloc(100))
    }
    await connection.flush()
    client.send("real too")
    await expect.poll(() => atHost.lines).toEqual(["real", "real too"])
    host.send("x")
  })

  it("is not to replay lines: the link ends without delivering them", async () => {
    const { connection, seen } = await place.openSpy()
    const { client, host, atHost } = await place.openPair()
    client.send("once")
    await expect.poll(() => atHost.lines).toEqual(["once"])
    await expect.poll(() => seen.filter(({ subject }) => subject.includes(".link.")).length).toBeGreaterThan(1)
    const last = seen.findLast(({ subject }) => subject.includes(".link."))
    if (last === undefined) throw new Error("nothing was seen")
    connection.publish(last.subject, last.data)
    await Promise.all([client.closed, host.closed])
    expect(atHost.lines).toEqual(["once"])
  })

  it("is not to open a link by a replayed request", async () => {
    const { connection, seen } = await place.openSpy()
    const atHost = new Inbox()
    const host = place.openBus({ timings: { tickMs: 100 } })
    await host.listen("host", maxLineBytes, atHost.onConnection)
    const client = await place.openBus().connect("host", maxLineBytes, echo, patienceMs)
    await atHost.connected
    client.destroy()
    await expect.poll(() => host.counters.openLinks).toBe(0)
    const request = seen.find(({ subject }) => subject === "turnhouse.test.host.host")
    if (request === undefined) throw new Error("no request was seen")
    const reply = await connection.request(request.subject, request.data)
    expect(reply.data.length).toBeGreaterThan(1) // it is answered, but a link needs the key
    await expect.poll(() => host.counters.openLinks).toBe(0)
    expect(atHost.connections).toHaveLength(1)
  })
})

describe("a link whose messages are lost", () => {
  /** What a node can compute from a seen request and reply. */
  function secretsOf(seen: readonly { subject: string; data: Uint8Array }[]): LinkSecrets {
    const nonceIn = (part: string) => seen.find(({ subject }) => subject.includes(part))?.data.subarray(1, 33)
    const [requestNonce, replyNonce] = [nonceIn(".host."), nonceIn(".inbox.")]
    if (requestNonce === undefined || replyNonce === undefined) throw new Error("the handshake was not seen")
    return linkSecrets({ key: clusterKey, cluster: "test", hostId: "host" }, requestNonce, replyNonce)
  }

  it("ends on both ends, and delivers nothing after the gap", async () => {
    const { connection, seen } = await place.openSpy()
    const { client, host, atHost } = await place.openPair()
    client.send("before")
    await expect.poll(() => atHost.lines).toEqual(["before"])
    await expect.poll(() => seen.filter(({ subject }) => subject.includes(".inbox."))).toHaveLength(1)
    const { toHost } = secretsOf(seen)
    const sealer = new Sealer(toHost.key)
    const line = Buffer.concat([Buffer.alloc(7), Buffer.from("after the gap\n")])
    for (let skipped = 0; skipped < 20; skipped++) sealer.seal(line)
    connection.publish(toHost.subject, sealer.seal(line))
    await Promise.all([client.closed, host.closed])
    expect(atHost.lines).toEqual(["before"])
  })
})
