import { statSync } from "node:fs"
import { createConnection } from "node:net"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import type { WatchItem } from "../../contract/host-port.ts"
import type { SessionHost } from "../../host/session-host.ts"
import { newSession, next, prompt, testHost, testTool, turn } from "../../testing/test-host.ts"
import { gate, scriptedSource } from "../../testing/index.ts"
import { portOf, RawClient, serve as serveHouse } from "../../testing/doors/served-host.ts"
import { HouseClient } from "../../clients/house/house-client.ts"

/** A slow machine must not fail the test. */
const patient = { timeout: 30_000 }
const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

async function serve(host: SessionHost, name = "h.sock"): Promise<string> {
  const served = await serveHouse(portOf(host), {}, name)
  cleanups.push(() => served.close())
  return served.path
}

async function connect(path: string): Promise<HouseClient> {
  const client = await HouseClient.connect(path)
  cleanups.push(() => client.close())
  return client
}

function textOf(items: readonly WatchItem[]): string {
  return items
    .map((item) => {
      if (item.kind === "streamed") return item.blocks.map((block) => block.text).join("")
      return item.kind === "delta" && item.delta.type === "text.delta" ? item.delta.delta : ""
    })
    .join("")
}

describe("the house wire", () => {
  it("lets another process prompt and watch one live session", async () => {
    const { host } = await testHost(scriptedSource([[{ text: "Hello there." }]]))
    const session = await newSession(host)
    const client = await connect(await serve(host))
    const items: WatchItem[] = []
    const ended = next(session, "turn.ended")
    await client.watch(session.id, 0, (item) => items.push(item))
    const sent = await client.send(session.id, { type: "prompt", promptId: "prm_far", text: "hi", ifBusy: "refuse" })
    expect(sent).toMatchObject({ kind: "accepted" })
    await ended
    await expect
      .poll(() => items.some((item) => item.kind === "event" && item.recorded.event.type === "turn.ended"), patient)
      .toBe(true)
    const seqs = items.flatMap((item) => (item.kind === "event" ? [item.recorded.seq] : []))
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    expect(textOf(items)).toBe("Hello there.")
  })

  it("sends a client that joins in mid-stream the text so far and then the rest, nothing twice", async () => {
    const middle = gate()
    const { host } = await testHost(
      scriptedSource([[{ chunks: ["Once ", "upon "] }, { gate: middle }, { chunks: ["a time."] }]]),
    )
    const session = await newSession(host)
    const client = await connect(await serve(host))
    const ended = turn(session, "tell")
    await middle.arrived
    const items: WatchItem[] = []
    await client.watch(session.id, 0, (item) => items.push(item))
    await expect.poll(() => textOf(items), patient).toBe("Once upon ")
    middle.open()
    await ended
    await expect.poll(() => textOf(items), patient).toBe("Once upon a time.")
  })

  it("lets another process answer an approval, once", async () => {
    const rm = testTool("rm", () => ({ outcome: "done", output: "" }))
    const { host } = await testHost(scriptedSource([[{ call: { tool: "rm", input: {} } }], [{ text: "Done." }]]), [rm])
    const session = await newSession(host, { preset: "careful" })
    const path = await serve(host)
    const [one, two] = [await connect(path), await connect(path)]
    const asked = next(session, "approval.requested")
    const ended = turn(session, "go")
    const { approvalId } = await asked
    const answers = await Promise.all([
      one.send(session.id, { type: "approve", approvalId, approved: true }),
      two.send(session.id, { type: "approve", approvalId, approved: false }),
    ])
    expect(answers.map((answer) => answer.kind).toSorted()).toEqual(["accepted", "refused"])
    expect(await ended).toMatchObject({ reason: "done" })
  })

  it("sends a client that stopped reading everything after its cursor, and the turn does not wait for it", async () => {
    const begin = gate()
    const words = Array.from({ length: 4000 }, (_, n) => `${n} ${"x".repeat(1000)} `)
    const { host } = await testHost(
      scriptedSource([[{ gate: begin }, { chunks: words }], [{ text: "More." }]], { maxOutput: 10_000_000 }),
    )
    const session = await newSession(host)
    const path = await serve(host)
    const client = new RawClient(path)
    cleanups.push(() => void client.socket.destroy())
    client.say({ type: "hello", version: 1 }, { type: "open", id: "1", sessionId: session.id, cursor: 0 })
    await client.answerTo("1")
    const ended = turn(session, "much")
    await client.until(() => client.all("event").some((frame) => frame["seq"] === session.state.seq))
    client.socket.pause()
    begin.open()
    expect(await ended).toMatchObject({ reason: "done" })
    client.socket.resume()
    await client.until(() => client.all("event").some((frame) => frame["seq"] === session.state.seq))
    expect(client.types()).toContain("gap")
    const seqs = client.all("event").map((frame) => frame["seq"])
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    await prompt(session, "again")
  })

  it("answers bad lines and stays open", async () => {
    const { host } = await testHost(scriptedSource([[{ text: "Hi." }]]))
    const path = await serve(host)
    const socket = createConnection(path)
    cleanups.push(() => void socket.destroy())
    let heard = ""
    socket.on("data", (chunk: Buffer) => (heard += chunk.toString()))
    socket.write('{"type":"send"}\n')
    socket.write("not json\n\n5\n")
    socket.write(Buffer.from([0xff, 0x0a]))
    socket.write('{"type":"hello","version":1}\n')
    socket.write(
      '{"type":"send","id":"7","sessionId":"01890000-0000-7000-8000-000000000001","command":{"type":"dance"}}\n',
    )
    await expect.poll(() => heard.trimEnd().split("\n").length, patient).toBe(6)
    const frames = heard
      .trimEnd()
      .split("\n")
      .map((line): { type: string; id?: string } => JSON.parse(line))
    expect(frames.map((frame) => frame.type)).toEqual(["refused", "refused", "refused", "refused", "hello", "refused"])
    expect(frames[5]?.id).toBe("7")
  })

  it("refuses an unknown version and names it", async () => {
    const { host } = await testHost(scriptedSource([]))
    const socket = createConnection(await serve(host))
    let heard = ""
    socket.on("data", (chunk: Buffer) => (heard += chunk.toString()))
    cleanups.push(() => void socket.destroy())
    socket.write('{"type":"hello","version":99}\n{"type":"hello","version":1}\n')
    await expect.poll(() => heard, patient).toContain('"type":"hello"')
    expect(heard).toContain("not 99")
  })

  it("refuses all pending requests when the host exits", async () => {
    const stuck = gate()
    const { host } = await testHost(scriptedSource([[{ gate: stuck }]]))
    const session = await newSession(host)
    const path = await serve(host)
    const client = await connect(path)
    const items: WatchItem[] = []
    await client.watch(session.id, 0, (item) => items.push(item))
    for (const clean of cleanups.splice(0).toReversed()) await clean()
    await expect.poll(() => items.at(-1)?.kind, patient).toBe("lost")
    expect(await client.send(session.id, { type: "interrupt" }).catch(() => "threw")).toMatchObject({
      refusal: { code: "host.gone" },
    })
  })

  it("listens on a socket that only its owner can open, also under a long path", async () => {
    const { host } = await testHost(scriptedSource([]))
    const path = await serve(host, join("a".repeat(60), "b".repeat(60), "h.sock"))
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await connect(path)
  })
})
