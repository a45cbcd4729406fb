import { expect, it } from "vitest"
import { proveSimulation } from "./prove-simulation.ts"
import { Scheduler, SimulatedProcess } from "./scheduler.ts"

const { signal } = new AbortController()

async function simulate(seed: number, count: number) {
  const { hash, events, violations } = await proveSimulation({ seed, count, signal, onProgress: () => {} })
  return { hash, events, violations }
}

it("finds every promise kept, and gives the same trace for the same seed", async () => {
  const [first, again, other] = await Promise.all([simulate(1, 24), simulate(1, 24), simulate(2, 24)])
  expect(first.violations).toEqual([])
  expect(first.events).toBeGreaterThan(100)
  expect(again).toEqual(first)
  expect(other.hash).not.toBe(first.hash)
})

it.each([
  [101114, "a host that hibernates a session calls its model without end when another one takes it over"],
  [303633, "an agent that is detached while its tree hibernates stays paused"],
])("keeps seed %i, which has found that %s", async (seed) => {
  expect((await simulate(seed, 1)).violations).toEqual([])
})

it("runs tasks in the order of their time, and those of one time in the order in which they were planned", async () => {
  const scheduler = new Scheduler()
  const seen: string[] = []
  const plan = (name: string, ms: number) => scheduler.schedule(ms, () => seen.push(name))
  plan("late", 20)
  plan("first", 5)
  plan("second", 5)
  plan("cancelled", 6).isCancelled = true
  await scheduler.run(() => false)
  expect(seen).toEqual(["first", "second", "late"])
})

it("settles promises before the next task runs", async () => {
  const scheduler = new Scheduler()
  const seen: string[] = []
  scheduler.schedule(1, () => void (async () => seen.push(await Promise.resolve("promise")))())
  scheduler.schedule(1, () => seen.push("next task"))
  await scheduler.run(() => false)
  expect(seen).toEqual(["promise", "next task"])
})

it("never runs a task of a dead process, and those of a suspended one when it goes on", async () => {
  const scheduler = new Scheduler()
  const [dead, frozen] = [new SimulatedProcess("dead"), new SimulatedProcess("frozen")]
  const seen: string[] = []
  scheduler.schedule(1, () => scheduler.kill(dead))
  scheduler.schedule(1, () => scheduler.freeze(frozen))
  scheduler.schedule(2, () => seen.push("dead"), dead)
  scheduler.schedule(2, () => seen.push("frozen"), frozen)
  scheduler.schedule(3, () => seen.push("other"))
  scheduler.schedule(4, () => scheduler.thaw(frozen))
  await scheduler.run(() => false)
  expect(seen).toEqual(["other", "frozen"])
})
