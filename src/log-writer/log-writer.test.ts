// The log through its writer process, with real processes: what all logs promise, and what a death or a freeze of the
// writer must not change.
import { setTimeout as pause } from "node:timers/promises"
import { rmSync } from "node:fs"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { directoryContract } from "../log/directory-contract.ts"
import { eventLogContract } from "../log/event-log-contract.ts"
import type { EventLog, Lease } from "../log/event-log.ts"
import { appendOf, hostNamed, refusalOf, sessionIdOf, valueOf } from "../log/fixtures.ts"
import { openFresh, type LogWithWriter } from "./fixtures.ts"
import { isAlive, pidIn, readLink } from "./place.ts"

eventLogContract("SQLite with its writer process", openFresh)
directoryContract("SQLite with its writer process", openFresh)

describe("the writer process", () => {
  const one = sessionIdOf(1)
  let opened: LogWithWriter
  let log: EventLog
  let lease: Lease

  beforeEach(async () => {
    opened = openFresh()
    log = opened.log
    lease = valueOf(await log.registerHost(hostNamed("first", process.pid)))
    valueOf(await log.create(lease, appendOf(one, 0, "0")))
  })
  afterEach(() => opened.remove())

  async function textsOf(sessionId: string): Promise<readonly string[]> {
    const { events } = valueOf(await log.load(sessionId))
    return events.map(({ event }) => (event.type === "text.ended" ? event.text : event.type))
  }

  it("is replaced when it is frozen, and the waiting append is stored once", async () => {
    const frozen = opened.writer()
    process.kill(pidIn(frozen), "SIGSTOP")
    valueOf(await log.append(lease, appendOf(one, 1, "1")))
    expect(isAlive(frozen)).toBe(false)
    expect(opened.writer()).not.toBe(frozen)
    expect(await textsOf(one)).toEqual(["0", "1"])
  })

  it("is replaced when it is frozen before a new client has connected", async () => {
    process.kill(pidIn(opened.writer()), "SIGSTOP")
    const other = opened.openAnother()
    valueOf(await other.registerHost(hostNamed("second", process.pid)))
    valueOf(await log.append(lease, appendOf(one, 1, "1")))
    expect(await textsOf(one)).toEqual(["0", "1"])
  })

  it("loses nothing and stores nothing twice when it is killed repeatedly under load", async () => {
    const sessions = Array.from({ length: 10 }, (_, index) => sessionIdOf(100 + index))
    const texts = Array.from({ length: 60 }, (_, index) => String(index))
    const appending = Promise.all(
      sessions.map(async (sessionId) => {
        valueOf(await log.create(lease, appendOf(sessionId, 0, "0")))
        for (const text of texts.slice(1)) valueOf(await log.append(lease, appendOf(sessionId, Number(text), text)))
      }),
    )
    for (let kills = 0; kills < 5; kills++) {
      await pause(20)
      const name = readLink(opened.place.current)
      if (name !== undefined && isAlive(name)) process.kill(pidIn(name), "SIGKILL")
      await Promise.race([appending, vi.waitFor(() => expect(opened.writer()).not.toBe(name), 30_000)])
    }
    await appending
    for (const sessionId of sessions) expect(await textsOf(sessionId)).toEqual(texts)
    expect(valueOf(await log.inspect())).toEqual([])
  })

  it("runs once for any number of clients that start at once", async () => {
    await opened.remove()
    opened = openFresh()
    const clients = [opened.log, ...Array.from({ length: 9 }, () => opened.openAnother())]
    await Promise.all(clients.map((client, index) => client.registerHost(hostNamed(`host ${index}`, 100 + index))))
    const first = opened.writer()
    await Promise.all(clients.map((client, index) => client.registerHost(hostNamed(`host ${index}`, 100 + index))))
    expect(opened.writer()).toBe(first)
    expect(readLink(opened.place.starting)).toBeUndefined()
  })

  it("ends when no client is left", async () => {
    const name = opened.writer()
    await log.close()
    await vi.waitFor(() => expect(isAlive(name)).toBe(false), 30_000)
    expect(readLink(opened.place.current)).toBeUndefined()
  })

  it("ends when its folder is removed", async () => {
    const name = opened.writer()
    rmSync(opened.place.folder, { recursive: true })
    await vi.waitFor(() => expect(isAlive(name)).toBe(false), 30_000)
  })

  it("is not started by a process that only reads", async () => {
    const name = opened.writer()
    await log.close()
    await vi.waitFor(() => expect(isAlive(name)).toBe(false), 30_000)
    const reader = opened.openAnother()
    expect(valueOf(await reader.list()).map(({ sessionId }) => sessionId)).toEqual([one])
    expect(refusalOf(await reader.load(sessionIdOf(2)))?.code).toBe("session.unknown")
    expect(readLink(opened.place.current)).toBeUndefined()
  })
})
