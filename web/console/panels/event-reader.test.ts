import { expect, it } from "vitest"
import type { Recorded } from "../../../src/contract/events.ts"
import { EventReader } from "./event-reader.ts"

const event = { type: "session.renamed", name: "a", by: { principal: "jane", door: "test" } } as const

function log(maxEvents: number, known: readonly Recorded[] = []) {
  const ranges: (readonly [number, number])[] = []
  const shown: (readonly number[] | string)[] = []
  const gate = { open: Promise.resolve(), problem: "" }
  const reader = new EventReader({
    read: async (start, end) => {
      ranges.push([start, end])
      await gate.open
      if (gate.problem !== "") return gate.problem
      return Array.from({ length: end - start }, (_, at): Recorded => ({ seq: start + at + 1, at: 0, event }))
    },
    show: (events) => shown.push(typeof events === "string" ? events : events.map(({ seq }) => seq)),
    rest: () => Promise.resolve(),
    maxEvents,
    known,
  })
  return { reader, ranges, shown, gate }
}

it("reads each event once, and those that were added while it read in one further reading", async () => {
  const { reader, ranges, shown, gate } = log(10)
  const { promise, resolve } = Promise.withResolvers<void>()
  gate.open = promise
  const reading = reader.readTo(3)
  await Promise.all([4, 5, 6].map((seq) => reader.readTo(seq)))
  resolve()
  await reading
  expect(ranges).toEqual([
    [0, 3],
    [3, 6],
  ])
  expect(shown.at(-1)).toEqual([1, 2, 3, 4, 5, 6])
})

it("continues what an earlier reader has read", async () => {
  const { reader, ranges, shown } = log(10, [{ seq: 7, at: 0, event }])
  await reader.readTo(7)
  await reader.readTo(8)
  expect(ranges).toEqual([[7, 8]])
  expect(shown).toEqual([[7, 8]])
})

it("keeps the newest events only, and shows an empty log", async () => {
  const { reader, shown } = log(3)
  await reader.readTo(0)
  expect(shown).toEqual([[]])
  await reader.readTo(100)
  await reader.readTo(101)
  expect(shown.slice(1)).toEqual([
    [98, 99, 100],
    [99, 100, 101],
  ])
})

it("shows why it cannot read, and reads on with the next event; closed it shows nothing", async () => {
  const { reader, shown, gate } = log(3)
  gate.problem = "The log is damaged."
  await reader.readTo(2)
  gate.problem = ""
  await reader.readTo(3)
  reader.close()
  await reader.readTo(4)
  expect(shown).toEqual(["The log is damaged.", [1, 2, 3]])
})
