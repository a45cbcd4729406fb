import { describe, expect, it } from "vitest"
import { lockChanged, lockStatus } from "./lock-frames.ts"

const held = { lock: "build", scope: "/p", holder: "s1", description: "make", status: "active", heldMs: 2999 } as const

describe("a list of locks", () => {
  it("has whole seconds, and leaves out file locks and invalid entries", () => {
    const strange = [{ ...held, lock: "file_write" }, { ...held, heldMs: "1" }, { ...held, scope: 7 }, {}, null, 7, []]
    expect(lockStatus({ held: [held, ...strange], waiting: [] }, null)).toEqual({
      type: "lock_status",
      locks: [
        {
          agent_id: "s1",
          resource_type: "build",
          scope: "/p",
          description: "make",
          status: "active",
          held_for_secs: 2,
        },
        {
          agent_id: "s1",
          resource_type: "build",
          scope: "/p",
          description: "make",
          status: "active",
          held_for_secs: 0,
        },
      ],
    })
    for (const nonsense of [null, 7, "held", [], { held: null }])
      expect(lockStatus(nonsense, undefined)).toEqual({ type: "lock_status", locks: [] })
  })

  it.each([
    ["/p", true],
    ["/p/", true],
    ["/", true],
    ["/p/sub", false],
    ["/px", false],
    ["", true],
  ])("of scope %j includes a lock of /p: %s", (scope, isThere) => {
    expect(lockStatus({ held: [held] }, scope)).toMatchObject({ locks: isThere ? [{ scope: "/p" }] : [] })
  })
})

it("the description of a lock is removed when it is released, and kept when it was lost", () => {
  const encode = (change: "released" | "stale") => lockChanged({ type: "lock.changed", change, ...held })
  expect(encode("released")).toMatchObject({ change: "released", lock: { description: "", status: "released" } })
  expect(encode("stale")).toMatchObject({ change: "stale", lock: { description: "make", status: "active" } })
})
