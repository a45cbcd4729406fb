import { describe, expect, it } from "vitest"
import { lockChanged, lockStatus } from "./agent-frames.ts"

const held = { lock: "build", scope: "/p", holder: "s1", description: "make", status: "active", heldMs: 2999 } as const
const listed = { ...held, fence: 1, pid: 1, hostname: "h" }

describe("a list of locks", () => {
  it("has whole seconds and leaves out locks of files", () => {
    const file = { ...listed, lock: "file_write" }
    expect(lockStatus({ held: [listed, file], waiting: [] }, null)).toEqual({
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
      ],
    })
  })

  it.each([
    ["/p", true],
    ["/p/", true],
    ["/", true],
    ["/p/sub", false],
    ["/px", false],
    ["", true],
  ])("of scope %j includes a lock of /p: %s", (scope, isThere) => {
    expect(lockStatus({ held: [listed], waiting: [] }, scope)).toMatchObject({
      locks: isThere ? [{ scope: "/p" }] : [],
    })
  })
})

it("the description of a lock is removed when it is released, and kept when it was lost", () => {
  const encode = (change: "released" | "stale") => lockChanged({ type: "lock.changed", change, ...held })
  expect(encode("released")).toMatchObject({ change: "released", lock: { description: "", status: "released" } })
  expect(encode("stale")).toMatchObject({ change: "stale", lock: { description: "make", status: "active" } })
})
