import { expect, it } from "vitest"
import { OthersUse } from "./others-use.ts"
import { OwnUse } from "./own-use.ts"

it("publishes a changed number of connections at once, and frames from a tenth of a second's on", () => {
  const own = new OwnUse(50)
  own.setActive("a", 1)
  for (let n = 0; n < 4; n++) own.tookFrame("b")
  const first = own.prepare(false)
  expect(first).toEqual([{ account: "a", active: 1, frames: 0 }])
  own.published(first)
  own.tookFrame("b")
  const second = own.prepare(false)
  expect(second).toEqual([{ account: "b", active: 0, frames: 5 }])
  own.published(second)
  expect(own.prepare(false)).toEqual([])
  expect(own.prepare(true)).toHaveLength(2)
})

it("publishes again what was not confirmed, and what changed while it was published", () => {
  const own = new OwnUse(50)
  own.setActive("a", 1)
  own.prepare(false) // failed
  const uses = own.prepare(false)
  own.setActive("a", 2)
  own.published(uses)
  expect(own.prepare(false)).toEqual([{ account: "a", active: 2, frames: 0 }])
})

it("forgets accounts that are not active", () => {
  const own = new OwnUse(50)
  own.setActive("connected", 1)
  own.setActive("gone", 1)
  own.setActive("gone", 0)
  own.tookFrame("rare")
  for (let n = 0; n < 100; n++) own.published(own.prepare(false))
  expect(own.size).toBe(1)
})

it("passes on what changes on other nodes", () => {
  const changes: unknown[] = []
  const others = new OthersUse((...change) => changes.push(change))
  const use = { node: "n", account: "a" }
  others.update(new Map([["n", 1]]), [{ ...use, active: 2, frames: 90 }])
  others.update(new Map([["n", 2]]), [{ ...use, active: 1, frames: 100 }])
  others.update(new Map([["n", 3]]), [{ ...use, active: 1, frames: 7 }]) // the node counts from 0 again
  expect(others.read).toEqual([{ node: "n", publication: 3 }])
  others.update(new Map(), [])
  expect(changes).toEqual([
    ["a", 2, 0], // when its frames were taken is not known
    ["a", -1, 10],
    ["a", 0, 7],
    ["a", -1, 0],
  ])
  expect(others.read).toEqual([])
})
