import { PassThrough } from "node:stream"
import { afterEach, describe, expect, it, vi } from "vitest"
import { HouseClient } from "./house-client.ts"
import type { WatchItem } from "../../contract/host-port.ts"
import { open } from "../../doors/house/door.ts"
import { eventItem, stubId, stubPort, StubSession } from "../../testing/doors/stub-port.ts"
import { you } from "../../testing/test-host.ts"
import type { LineConnection } from "../../transports/line-connection.ts"
import { attachStreams } from "../../transports/stream-lines.ts"
import { AppFault } from "../../app/app-fault.ts"
import { RemotePort, type RemotePortOptions } from "./remote-port.ts"

const MAX_LINE = 1_000_000
const ports: RemotePort[] = []
afterEach(() => {
  for (const port of ports.splice(0)) port.close()
})

/** A machine at the other end of two pipes, which the test can cut. */
class Machine {
  readonly session = new StubSession()
  readonly attempts: string[] = []
  /** Thrown by the next attempts. */
  readonly faults: Error[] = []
  /** Resolved by the test; until then no connection is made. */
  admitted = Promise.resolve()
  #connection: LineConnection | undefined

  async connect(attempt: string): Promise<HouseClient> {
    this.attempts.push(attempt)
    await this.admitted
    const fault = this.faults.shift()
    if (fault !== undefined) throw fault
    const [there, back] = [new PassThrough(), new PassThrough()]
    const options = { port: stubPort(this.session), by: you, host: "h1", role: "host", release: "0" }
    this.#connection = attachStreams(there, back, MAX_LINE, (lines) => open(lines, options))
    return HouseClient.over(async (onConnection) => attachStreams(back, there, MAX_LINE, onConnection))
  }

  cut(): void {
    this.#connection?.destroy()
  }
}

async function connected(machine: Machine, settings: Pick<RemotePortOptions, "retry" | "hurriedMs"> = {}) {
  const changes: string[] = []
  const problems: string[] = []
  const port = await RemotePort.connect({
    name: "jane@box",
    connect: (attempt) => machine.connect(attempt),
    onChange: (_, state) => changes.push(state),
    onProblem: (text) => problems.push(text),
    refusalOf: (fault) => (fault instanceof AppFault ? fault.refusal : undefined),
    retry: { firstMs: 1, maxMs: 2 },
    ...settings,
  })
  ports.push(port)
  const opened = await port.open(stubId)
  if (opened.kind === "refused") throw new Error(opened.refusal.code)
  const items: WatchItem[] = []
  await opened.handle.watch(0, (item) => items.push(item))
  const seqs = () => items.flatMap((item) => (item.kind === "event" ? [item.recorded.seq] : []))
  return { port, handle: opened.handle, changes, problems, items, seqs }
}

describe("a remote port", () => {
  it("continues a watch after its connection is lost: nothing is lost or repeated", async () => {
    const machine = new Machine()
    const { changes, problems, seqs } = await connected(machine)
    machine.session.publish(eventItem(1))
    await expect.poll(seqs).toEqual([1])
    machine.faults.push(new Error("no route to host"))
    machine.cut()
    machine.session.stored.push(eventItem(2))
    await expect.poll(() => changes).toEqual(["lost", "live"])
    machine.session.publish(eventItem(3))
    await expect.poll(seqs).toEqual([1, 2, 3])
    expect(machine.attempts).toEqual(["first", "again", "again"])
    expect(problems).toEqual(["no route to host"])
  })

  it("sends a command that waits for the connection once, and refuses queries meanwhile", async () => {
    const machine = new Machine()
    const { port, handle } = await connected(machine)
    const gate = Promise.withResolvers<void>()
    machine.admitted = gate.promise
    machine.cut()
    await expect.poll(() => machine.attempts.length).toBe(2)
    const sending = handle.send({ type: "interrupt" })
    expect(await port.query({ type: "sessions" })).toMatchObject({ refusal: { code: "host.unreachable" } })
    gate.resolve()
    expect(await sending).toMatchObject({ kind: "accepted" })
    expect(machine.session.sent).toEqual(["interrupt"])
  })

  it("ends when its key is no longer valid", async () => {
    const machine = new Machine()
    const { items } = await connected(machine)
    machine.faults.push(new AppFault("revoked", 2, { code: "key.bad" }))
    machine.cut()
    await expect.poll(() => items).toEqual([{ kind: "lost", refusal: { code: "key.bad" } }])
    expect(machine.attempts).toEqual(["first", "again"])
  })

  it("gives up a connection that shows no sign of life", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    const machine = new Machine()
    const { changes } = await connected(machine)
    vi.spyOn(HouseClient.prototype, "query").mockReturnValueOnce(new Promise(() => {}))
    vi.advanceTimersByTime(40_000)
    vi.useRealTimers()
    await expect.poll(() => changes).toEqual(["lost", "live"])
  })

  it("gives up a connection that does not answer in time when hurry is called", async () => {
    const machine = new Machine()
    const { port, changes } = await connected(machine, { hurriedMs: 1 })
    vi.spyOn(HouseClient.prototype, "query").mockReturnValueOnce(new Promise(() => {}))
    port.hurry()
    await expect.poll(() => changes).toEqual(["lost", "live"])
  })

  it("does not wait for its next attempt when hurry is called", async () => {
    const machine = new Machine()
    const { port, changes } = await connected(machine, { retry: { firstMs: 1_000_000, maxMs: 1_000_000 } })
    machine.cut()
    await expect.poll(() => changes).toEqual(["lost"])
    await expect.poll(() => (port.hurry(), changes)).toEqual(["lost", "live"])
  })
})
