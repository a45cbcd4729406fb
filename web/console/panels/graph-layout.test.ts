import { expect, it } from "vitest"
import type { LockListing } from "../../../src/contract/views/host.ts"
import type { SessionRow } from "../../../src/display/session-rows.ts"
import { noStatus } from "../../../src/projection/status.ts"
import { graphNodes, INDENT, ROW_HEIGHT, waitsIn } from "./graph-layout.ts"

function row(sessionId: string, depth: number): SessionRow {
  const line = {
    sessionId,
    seq: 1,
    createdAt: 0,
    updatedAt: 0,
    host: null,
    activity: "idle",
    status: noStatus,
  } as const
  return { line, folder: "shop", title: sessionId, depth, rank: 2 }
}

const rows = [row("root", 0), row("first", 1), row("deep", 2), row("second", 1)]

it("draws each agent below the one that started it", () => {
  const nodes = graphNodes(rows)
  expect(nodes.map(({ parent }) => parent)).toEqual([undefined, 0, 1, 0])
  expect(nodes.map(({ x, y }) => [x / INDENT, y / ROW_HEIGHT])).toEqual([
    [0, 0],
    [1, 1],
    [2, 2],
    [1, 3],
  ])
})

const held = {
  lock: "build",
  scope: "/shop",
  holder: "first",
  description: "",
  status: "",
  fence: 1,
  pid: 1,
  hostname: "box",
  heldMs: 1,
}

function waiting(holder: string, scope: string): LockListing {
  return { held: [held], waiting: [{ holder, wants: [{ lock: "test", scope }], description: "", waitedMs: 1 }] }
}

it("connects an agent that waits to the one that has a lock of the same scope", () => {
  expect(waitsIn(rows, waiting("second", "/shop"))).toEqual([{ from: 3, to: 1, text: "test lock of /shop" }])
})

it("draws no wait for another scope, for an agent of another tree, or of an agent for itself", () => {
  for (const locks of [waiting("second", "/other"), waiting("stranger", "/shop"), waiting("first", "/shop")])
    expect(waitsIn(rows, locks)).toEqual([])
})
