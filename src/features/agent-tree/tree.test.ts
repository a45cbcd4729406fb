import { describe, expect, it } from "vitest"
import { agentForest, agentTreeText, type AgentLine } from "./tree.ts"
import { noStatus, type SessionStatus } from "../../projection/status.ts"

const idOf = (n: number) => `01890000-0000-7000-8000-00000000000${n}`

function line(n: number, parent?: number, change: Partial<SessionStatus> = {}): AgentLine {
  const parentId = parent === undefined ? undefined : idOf(parent)
  return { sessionId: idOf(n), status: { ...noStatus, model: "m", parentId, ...change }, live: true }
}

describe("the tree of agents", () => {
  it("has one line per agent, children below their parent", () => {
    const lines = [
      line(1, undefined, { inTurn: true }),
      line(2, 1, { spawnReason: "tester", openApprovals: 1 }),
      line(3, 2, { parked: true }),
      line(4, 1, { hibernated: true }),
      line(5, undefined, { life: "ended" }),
    ]
    expect(agentTreeText(agentForest(lines), idOf(3))).toBe(
      [
        "Agents:",
        `├── ${idOf(1)} [m] busy`,
        `│   ├── ${idOf(2)} [m] asking (tester)`,
        `│   │   └── ${idOf(3)} [m] parked ← current`,
        `│   └── ${idOf(4)} [m] hibernated`,
        `└── ${idOf(5)} [m] ended`,
      ].join("\n"),
    )
  })

  it("says when there are no agents", () => {
    expect(agentTreeText(agentForest([]))).toBe("No active agents")
  })

  it("shows a session with a missing parent as a root", () => {
    expect(agentForest([line(2, 1)])).toMatchObject([{ sessionId: idOf(2), children: [] }])
  })

  it("shows every agent once in a cycle of parents", () => {
    const forest = agentForest([line(1, 3), line(2, 1), line(3, 2), line(4, 4)])
    const ids = agentTreeText(forest).match(/0189\S+/g)
    expect(ids?.toSorted()).toEqual([1, 2, 3, 4].map(idOf))
  })
})
