import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createEnd, linkPair, type Pair } from "./fixtures/links.ts"
import { REPORT_BYTES, SILENCE_TICKS, WINDOW_BYTES } from "./limits.ts"
import { Sealer } from "./sealing.ts"

function started(): Pair {
  const pair = linkPair()
  pair.settle()
  return pair
}

async function isClosed({ link }: Pair["client"]): Promise<boolean> {
  return Promise.race([link.closed.then(() => true), new Promise<false>((resolve) => setImmediate(resolve, false))])
}

describe("a link", () => {
  it("carries lines in order both ways, those of one turn in one message", () => {
    const { client, host, settle } = started()
    for (const line of ["one", "zwölf 🎉", ""]) client.link.send(line)
    client.link.sendBytes(Buffer.from("bytes\n"))
    client.link.flush()
    expect(client.published).toHaveLength(1)
    settle()
    host.link.send("answer")
    settle()
    expect(host.received.lines).toEqual(["one", "zwölf 🎉", "", "bytes"])
    expect(client.received.lines).toEqual(["answer"])
  })

  it("splits what the server does not accept in one message", () => {
    const { client, host, settle } = linkPair(1000)
    settle()
    const line = "é".repeat(5000)
    client.link.send(line)
    client.link.flush()
    expect(client.published.length).toBeGreaterThan(10)
    expect(Math.max(...client.published.map(({ length }) => length))).toBe(1000)
    settle()
    expect(host.received.lines).toEqual([line])
  })

  it("hands over the connection of a host with the first message of its client", () => {
    const { client, host, settle } = linkPair()
    host.link.flush()
    expect(host.received.connections).toEqual([])
    expect(client.received.connections).toHaveLength(1)
    settle()
    expect(host.received.connections).toHaveLength(1)
  })

  it("ignores messages that the peer has not sealed", async () => {
    const { client, host, settle } = started()
    client.link.send("real")
    client.link.flush()
    const forged = Buffer.from(client.published[0] ?? [])
    forged.writeUInt8(forged.readUInt8(forged.length - 1) ^ 1, forged.length - 1)
    expect(host.link.receive(forged)).toBe(false)
    expect(host.link.receive(Buffer.alloc(10))).toBe(false)
    settle()
    expect(host.received.lines).toEqual(["real"])
    expect(await isClosed(host)).toBe(false)
  })

  it("closes both ends when a message is missing", async () => {
    const { client, host, settle } = started()
    client.link.send("lost")
    client.link.flush()
    client.published.length = 0
    client.link.send("after the gap")
    settle()
    expect(host.received.lines).toEqual([])
    expect(await isClosed(host)).toBe(true)
    expect(await isClosed(client)).toBe(true)
  })

  it("notices a lost last message by the next heartbeat", async () => {
    const { client, host, settle } = started()
    client.link.send("lost")
    client.link.flush()
    client.published.length = 0
    client.link.tick()
    client.link.tick()
    settle()
    expect(await isClosed(host)).toBe(true)
  })

  it("stays open while both ends send heartbeats, and closes when one receives nothing", async () => {
    const { client, host, settle } = started()
    for (let tick = 0; tick < 5 * SILENCE_TICKS; tick++) {
      client.link.tick()
      host.link.tick()
      settle()
    }
    expect([await isClosed(client), await isClosed(host)]).toEqual([false, false])
    for (let tick = 0; tick < SILENCE_TICKS; tick++) host.link.tick()
    expect([await isClosed(client), await isClosed(host)]).toEqual([false, true])
  })

  it("closes the connection that no client has confirmed, without handing it over", async () => {
    const { host } = linkPair()
    for (let tick = 0; tick < SILENCE_TICKS; tick++) host.link.tick()
    expect(await isClosed(host)).toBe(true)
    expect(host.received.connections).toEqual([])
    expect(host.published).toEqual([])
  })
})

describe("flow control of a link", () => {
  const line = "x".repeat(9_999)

  it("keeps at most a window on the way to a paused reader, and sends the rest when it resumes", async () => {
    const { client, host, settle } = started()
    host.link.pause()
    for (let sent = 0; sent < 200; sent++) client.link.send(line)
    settle()
    expect(host.received.lines).toEqual([])
    expect(client.link.waiting).toBe(200 * 10_000 - REPORT_BYTES)
    const drained = client.link.drained()
    host.link.resume()
    settle()
    await drained
    expect(client.link.waiting).toBe(0)
    expect(host.received.lines).toHaveLength(200)
  })

  it("has nothing waiting when the reader keeps up", () => {
    const { client, settle } = started()
    client.link.send(line)
    expect(client.link.waiting).toBe(10_000)
    for (let sent = 0; sent < 20; sent++) {
      client.link.send(line)
      settle()
      expect(client.link.waiting).toBe(0)
    }
  })

  it("delivers nothing more when the reader pauses at a line", () => {
    const { client, host, settle } = started()
    for (let sent = 0; sent < 50; sent++) {
      client.link.send(line)
      client.link.flush()
    }
    host.link.pause()
    settle()
    expect(host.received.lines).toEqual([])
    host.link.resume()
    expect(host.received.lines).toHaveLength(50)
  })

  it("closes the link of a peer that ignores the window", async () => {
    const key = Buffer.alloc(32, 1)
    const end = createEnd(Buffer.alloc(32, 2), key, 1024 * 1024)
    const sealer = new Sealer(key)
    end.link.pause()
    end.link.receive(sealer.seal(Buffer.alloc(7 + WINDOW_BYTES))) // kind, nothing consumed, data
    expect(await isClosed(end)).toBe(false)
    end.link.receive(sealer.seal(Buffer.alloc(7 + 1)))
    expect(await isClosed(end)).toBe(true)
  })

  it("resolves drained when the link is destroyed", async () => {
    const { client } = started()
    client.link.send("x".repeat(2 * WINDOW_BYTES))
    const drained = client.link.drained()
    client.link.destroy()
    await drained
    expect(client.link.waiting).toBe(0)
  })
})

describe("the end of a link", () => {
  it("delivers what both ends have sent, then closes both", async () => {
    const { client, host, settle } = started()
    const long = "x".repeat(3 * WINDOW_BYTES)
    client.link.send(long)
    host.link.send("last answer")
    client.link.end()
    client.link.send("too late")
    settle()
    expect(host.received.lines).toEqual([long])
    expect(client.received.lines).toEqual(["last answer"])
    expect([await isClosed(client), await isClosed(host)]).toEqual([true, true])
    expect([client.isReleased, host.isReleased]).toEqual([true, true])
  })

  it("waits for a paused reader", async () => {
    const { client, host, settle } = started()
    host.link.pause()
    client.link.send("last")
    client.link.end()
    settle()
    expect([await isClosed(client), await isClosed(host)]).toEqual([false, false])
    host.link.resume()
    settle()
    expect(host.received.lines).toEqual(["last"])
    expect([await isClosed(client), await isClosed(host)]).toEqual([true, true])
  })

  it("by destroy closes at once; a paused peer still gets what was sent", async () => {
    const { client, host, settle } = started()
    host.link.pause()
    client.link.send("last")
    client.link.destroy()
    expect(await isClosed(client)).toBe(true)
    settle()
    for (let tick = 0; tick < 2 * SILENCE_TICKS; tick++) host.link.tick()
    expect(await isClosed(host)).toBe(false)
    host.link.resume()
    expect(host.received.lines).toEqual(["last"])
    expect(await isClosed(host)).toBe(true)
  })

  it("never delivers a part of a line", async () => {
    const { client, host, settle } = started()
    client.link.send("whole")
    client.link.send("x".repeat(2 * WINDOW_BYTES))
    client.link.destroy()
    settle()
    expect(await isClosed(host)).toBe(true)
    expect(host.received.lines).toEqual(["whole"])
  })

  it("reaches the peer later when the connection was lost", async () => {
    const { client, host } = started()
    const farewell = client.link.abandon()
    expect(await isClosed(client)).toBe(true)
    if (farewell !== undefined) host.link.receive(farewell)
    expect(await isClosed(host)).toBe(true)
    expect(client.link.abandon()).toBeUndefined()
  })
})

type Fault = { readonly kind: "deliver" | "drop" | "repeat" | "hold" | "damage" }
const faults = fc.array(
  fc.record({
    kind: fc.constantFrom<Fault["kind"]>("deliver", "deliver", "deliver", "drop", "repeat", "hold", "damage"),
  }),
)
const steps = fc.array(fc.constantFrom("send", "send", "long", "move", "tick", "pause", "resume", "end", "destroy"))

describe("over a medium that drops, repeats, reorders and damages messages", () => {
  it("a link delivers a prefix of what was sent", () => {
    fc.assert(
      fc.property(steps, faults, fc.nat(1), (actions, plan, side) => {
        const pair = linkPair(5000)
        pair.settle()
        const [from, to] = side === 0 ? [pair.client, pair.host] : [pair.host, pair.client]
        const sent: string[] = []
        const random = plan.values()
        let held: Uint8Array[] = []
        const move = () => {
          from.link.flush()
          for (const message of from.published.splice(0)) {
            const fault = random.next().value?.kind ?? "deliver"
            if (fault === "drop") continue
            if (fault === "hold") {
              held.push(message)
              continue
            }
            if (fault === "damage") {
              const damaged = Buffer.from(message)
              damaged.writeUInt8(damaged.readUInt8(7) ^ 255, 7)
              if (!to.isReleased && to.link.receive(damaged)) throw new Error("a damaged message was accepted")
            } else to.link.receive(message)
            if (fault === "repeat") to.link.receive(message)
            for (const late of held) to.link.receive(late)
            held = []
          }
          to.link.flush()
          for (const message of to.published.splice(0)) from.link.receive(message)
        }
        const act = {
          send: () => from.link.send(`line ${sent.push(`line ${sent.length}`) - 1}`),
          long: () => {
            sent.push("é".repeat(WINDOW_BYTES / 4))
            from.link.send(sent.at(-1) ?? "")
          },
          move,
          tick: () => {
            from.link.tick()
            to.link.tick()
          },
          pause: () => to.link.pause(),
          resume: () => to.link.resume(),
          end: () => from.link.end(),
          destroy: () => from.link.destroy(),
        }
        for (const action of actions) act[action]()
        to.link.resume()
        move()
        expect(sent.slice(0, to.received.lines.length)).toEqual(to.received.lines)
      }),
      { numRuns: 300 },
    )
  })
})
