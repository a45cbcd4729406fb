import { describe, expect, it } from "vitest"
import { blocks, inOrder, lockOrder, type LockKind } from "./conflicts.ts"

/** Rows hold, columns want, in the order of the table; X keeps the other from it. */
const table = `
  build            X . X . . . X X X . X
  test             . X X . . . X X X . X
  build_test       X X X . . . X X X . X
  git_index        . . . X X . X X X . .
  git_commit       . . . X X . X X X . .
  git_remote_write . . . . . X . . . . .
  git_remote_merge X X X X X . X X X . X
  git_branch       X X X X X . X X X . X
  git_destructive  X X X X X . X X X . X
  file_read        . . . . . . . . . . X
  file_write       X X X X X X X X X X X`

describe("two holders in one place", () => {
  it("block each other as the table says", () => {
    const rows = lockOrder.map((held) => [held, ...lockOrder.map((wanted) => (keeps(held, wanted) ? "X" : "."))])
    expect(rows.map((row) => row.join(" "))).toEqual(
      table
        .trim()
        .split("\n")
        .map((line) => line.trim().replace(/\s+/g, " ")),
    )
  })

  it("block each other symmetrically for the nine types", () => {
    const nine = lockOrder.slice(0, 9)
    for (const one of nine) for (const other of nine) expect(keeps(one, other)).toBe(keeps(other, one))
  })

  it("also wait for the kinds in notDuring", () => {
    const commit = { kind: "git_commit", scope: "/p" } as const
    expect(blocks({ kind: "test", scope: "/p/sub" }, { ...commit, notDuring: ["test"] })).toBe(true)
    expect(blocks({ kind: "test", scope: "/q" }, { ...commit, notDuring: ["test"] })).toBe(false)
  })

  it("do not block each other in other scopes", () => {
    for (const kind of lockOrder) expect(blocks({ kind, scope: "/p" }, { kind, scope: "/px" })).toBe(false)
  })
})

it("several locks are taken in the order of the table", () => {
  const wanted: readonly LockKind[] = ["git_commit", "build", "git_index", "file_write"]
  const ordered = inOrder(wanted.map((kind) => ({ kind, scope: "/p" })))
  expect(ordered.map(({ kind }) => kind)).toEqual(["build", "git_index", "git_commit", "file_write"])
})

function keeps(held: LockKind, wanted: LockKind): boolean {
  return blocks({ kind: held, scope: "/p" }, { kind: wanted, scope: "/p" })
}
