import { expect, it } from "vitest"
import { noStatus } from "../../projection/status.ts"
import type { ListedSession } from "./sessions.ts"
import { rootOf, treesBefore, treesOf, withDescendants } from "./session-trees.ts"

function session(sessionId: string, parentId?: string, updatedAt = 0, pid?: number): ListedSession {
  const owner = pid === undefined ? undefined : { hostId: "h", role: "serve", pid }
  return {
    row: { sessionId, createdAt: 0, updatedAt, seq: 1, owner, summary: null },
    status: { ...noStatus, parentId },
  }
}

function ids(sessions: readonly ListedSession[]): string {
  return sessions.map(({ row }) => row.sessionId).join(" ")
}

const family = [session("root"), session("child", "root"), session("grandchild", "child"), session("other")]

it("withDescendants returns a session and its descendants, children first", () => {
  expect(ids(withDescendants(family, "root"))).toBe("grandchild child root")
  expect(ids(withDescendants(family, "child"))).toBe("grandchild child")
  expect(ids(withDescendants(family, "other"))).toBe("other")
})

it("puts every session into one tree; a session without its parent is a root", () => {
  expect(treesOf([...family, session("orphan", "deleted")]).map(ids)).toEqual([
    "grandchild child root",
    "other",
    "orphan",
  ])
})

it("ends if a parent names its own child as its parent", () => {
  const circle = [session("a", "b"), session("b", "a")]
  expect(ids(withDescendants(circle, "a"))).toBe("b a")
})

it("a tree is old only if all its sessions are old", () => {
  const old = session("root", undefined, 10)
  expect(ids(treesBefore([old, session("child", "root", 20)], 100))).toBe("child root")
  expect(ids(treesBefore([old, session("child", "root", 100)], 100))).toBe("")
  expect(ids(treesBefore([old, session("child", "root", 20, 7)], 100))).toBe("")
})

it("rootOf returns the topmost session of a tree, or the session itself", () => {
  const all = [...family, session("orphan", "deleted")]
  expect(["grandchild", "root", "orphan"].map((id) => rootOf(all, id))).toEqual(["root", "root", "orphan"])
})
