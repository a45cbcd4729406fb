// Histories of the ownership of one session that are possible, and hand-made ones that are not.
import { expect, it } from "vitest"
import { leaseModel, type LeaseCall } from "./lease-model.ts"
import { linearize } from "./linearize.ts"

const claimed = (host: string, ...mayReplace: readonly string[]): LeaseCall => ({ host, type: "claimed", mayReplace })
const appended = (host: string, expectedSeq: number): LeaseCall => ({
  host,
  type: "appended",
  expectedSeq,
  text: `after ${expectedSeq}`,
})
const fenced = (host: string): LeaseCall => ({ host, type: "append-fenced" })
const released = (host: string): LeaseCall => ({ host, type: "released" })
const read = (...texts: readonly string[]): LeaseCall => ({ host: "reader", type: "read", texts })

function isPossible(calls: readonly LeaseCall[]): boolean {
  const operations = calls.map((call, index) => ({ call, invokedAt: 10 * index, respondedAt: 10 * index + 5 }))
  return linearize({ operations, possibilities: [] }, leaseModel("a", "created")).kind === "linearizable"
}

it.each<readonly [string, readonly LeaseCall[]]>([
  ["the owner writes", [appended("a", 1), read("created", "after 1"), appended("a", 2)]],
  ["another host claims a released session", [released("a"), claimed("b"), fenced("a"), appended("b", 1)]],
  ["another host claims a session of a host that may be replaced", [claimed("b", "a"), fenced("a")]],
  ["a claim is refused while the owner has it", [{ host: "b", type: "claim-refused", owner: "a", isDead: false }]],
  [
    "a writer learns that it has missed an event",
    [appended("a", 1), { host: "a", type: "append-conflicted", expectedSeq: 1, seq: 2 }],
  ],
])("possible: %s", (_, calls) => {
  expect(isPossible(calls)).toBe(true)
})

it.each<readonly [string, readonly LeaseCall[]]>([
  ["a host writes that lost the session", [claimed("b", "a"), appended("a", 1)]],
  ["two events follow the same one", [appended("a", 1), appended("a", 1)]],
  ["a session is claimed whose owner may not be replaced", [claimed("b", "c")]],
  ["an acknowledged event is not read", [appended("a", 1), read("created")]],
  ["the owner is fenced", [fenced("a")]],
  ["a claim is refused because of a dead owner", [{ host: "b", type: "claim-refused", owner: "a", isDead: true }]],
  ["a host is fenced that cannot have lost its lease", [{ host: "b", type: "claim-fenced", mayBeLost: false }]],
])("impossible: %s", (_, calls) => {
  expect(isPossible(calls)).toBe(false)
})
