// Invariants of a world at rest, whatever was done to its hosts.
import { expect } from "vitest"
import type { CallId } from "../../src/contract/ids.ts"
import { hasStack } from "../e2e/complaints.ts"
import { eventually } from "../e2e/eventually.ts"
import { expectIdle, expectValid } from "../e2e/history.ts"
import { eventsIn, eventsOf } from "../e2e/printed.ts"
import type { HostedPlace } from "./hosted-place.ts"
import { effectsIn } from "./noting.ts"
import type { StartedRun, Sent, World } from "./world.ts"

/** At any moment: every event follows the one before, and none was changed. */
export async function expectIntact(place: HostedPlace): Promise<void> {
  expect(await place.directory.inspect()).toEqual({ kind: "ok", value: [] })
}

export async function expectPromisesKept(world: World): Promise<void> {
  const { place } = world
  await expectIntact(place)
  const logs = await allLogs(place)
  for (const log of logs.values()) {
    expectValid(log)
    expectIdle(log)
    expectOneHostAtATime(log)
  }
  for (const sent of world.sent) await expectDelivered(sent, logs.get(sent.sessionId) ?? "")
  for (const ran of world.ran) await expectRun(ran, logs.get(ran.sessionId) ?? "")
  for (const replacing of world.replacing) expect(await replacing.ended).toMatchObject({ code: 0, stderr: "" })
  await expectSeen(world, logs)
  expectEffectsOnce(place, [...logs.values()].join("\n"))
  await world.close() // a remaining watcher would start the next host
  await expectOneHost(place)
}

async function allLogs(place: HostedPlace): Promise<ReadonlyMap<string, string>> {
  const listed = await place.directory.list()
  if (listed.kind === "refused") throw new Error(JSON.stringify(listed.refusal))
  const logs = new Map<string, string>()
  for (const { sessionId } of listed.value) logs.set(sessionId, await place.stored(sessionId))
  return logs
}

/** Once another host has acted in a session, the former one never does again: it was fenced off, or has gone. */
function expectOneHostAtATime(log: string): void {
  const acting = eventsIn(log).flatMap(({ event }) => {
    if (event.type === "turn.adopted") return [event.host]
    if (event.type === "tool.started") return event.process?.mark?.split(":").slice(0, 1) ?? []
    return []
  })
  const successive = acting.filter((host, index) => host !== acting[index - 1])
  expect(successive).toEqual([...new Set(acting)])
}

/** Stored once, said to the model once, and that turn has ended. */
async function expectDelivered({ promptId, outcome }: Sent, log: string): Promise<void> {
  expect(await outcome).toEqual({ kind: "accepted", seq: expect.any(Number) })
  expect(eventsOf(log, "prompt.admitted").filter((admitted) => admitted.promptId === promptId)).toHaveLength(1)
  const promoted = eventsOf(log, "prompt.promoted").filter((one) => one.promptId === promptId)
  expect(promoted).toHaveLength(1)
  const ends = eventsOf(log, "turn.ended").filter(({ turnId }) => turnId === promoted[0]?.turnId)
  expect(ends).toHaveLength(1)
}

async function expectRun({ text, running }: StartedRun, log: string): Promise<void> {
  const ended = await running.ended
  expect(hasStack(ended) ? ended.stderr : "").toBe("")
  const admitted = eventsOf(log, "prompt.admitted").filter((one) => one.text === text).length
  expect(admitted).toBeLessThanOrEqual(1)
  if (ended.code === 0) expect(admitted).toBe(1)
}

/** Every watcher has seen what came after its cursor, each event once; those who stayed have seen all of it. */
async function expectSeen(world: World, logs: ReadonlyMap<string, string>): Promise<void> {
  for (const watching of world.watchings) {
    const after = eventsIn(logs.get(watching.sessionId) ?? "").slice(watching.cursor)
    if (!watching.isStopped) await watching.reached(watching.cursor + after.length)
    expect(watching.events).toEqual(after.slice(0, watching.isStopped ? watching.events.length : undefined))
  }
}

/** An unsafe call is started once and has its effect at most once; its receipt tells the truth about it. */
function expectEffectsOnce(place: HostedPlace, logs: string): void {
  const effects = effectsIn(place)
  expect(effects).toEqual([...new Set(effects)])
  const started = eventsOf(logs, "tool.started").map(({ callId }) => callId)
  expect(started).toEqual([...new Set(started)])
  expect(effects.filter((callId) => !started.some((one) => one === callId))).toEqual([])
  const hadEffect = (callId: CallId) => effects.includes(callId)
  const receipts = eventsOf(logs, "tool.ended")
  expect(receipts.filter(({ callId, outcome }) => outcome === "done" && !hadEffect(callId))).toEqual([])
  expect(receipts.filter(({ callId, outcome }) => outcome === "failed" && hadEffect(callId))).toEqual([])
}

/** Of all that were started, frozen and replaced one is left, and it leaves nothing behind. */
async function expectOneHost(place: HostedPlace): Promise<void> {
  await eventually("one host is left, and none is starting", async () => {
    const hosts = await place.directory.hosts()
    if (hosts.kind === "refused" || hosts.value.length > 1) return undefined
    const starting = place.hostProcesses().filter((pid) => !hosts.value.some((host) => host.pid === pid))
    return starting.length === 0 || undefined
  })
  expect(await place.run("host", "--stop")).toMatchObject({ code: 0 })
  await place.nothingRuns()
}
