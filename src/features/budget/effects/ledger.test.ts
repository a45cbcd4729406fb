import { describe, expect, it } from "vitest"
import type { ModelChoice } from "../../../models/model-source.ts"
import { created, given } from "../../../session/fixtures/given.ts"
import type { SessionState } from "../../../session/state.ts"
import { scriptedModel } from "../../../testing/index.ts"
import { Ledger } from "./ledger.ts"

const choice: ModelChoice = {
  name: "m",
  model: scriptedModel([]),
  contextWindow: 1000,
  maxOutput: 100,
  takesPrefill: true,
  costUsd: ({ input, output }) => (input + output) / 100,
}

const root = (spentUsd: number, budgetUsd = 10): SessionState => ({
  ...given(),
  budget: { usd: budgetUsd },
  spent: { usd: spentUsd, tokens: 0 },
})

const idOf = (n: number) => `01890000-0000-7000-8000-00000000020${n}`

const child = (n: number, spentUsd: number): SessionState => {
  const parent = { sessionId: created.sessionId, rootId: created.sessionId, depth: 1, reason: "r" }
  return { ...root(spentUsd), created: { ...created, sessionId: idOf(n), parent } }
}

describe("a budget", () => {
  it("reserves the worst case: the input and the longest possible output", () => {
    expect(new Ledger().reserve(root(8), choice, 100).kind).toBe("reserved")
    expect(new Ledger().reserve(root(8.01), choice, 100).kind).toBe("refused")
  })

  it("counts parallel reservations and releases them", () => {
    const ledger = new Ledger()
    const held = Array.from({ length: 5 }, () => ledger.reserve(root(0), choice, 100))
    expect(held.map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => "reserved"))
    expect(ledger.reserve(root(0), choice, 100).kind).toBe("refused")
    for (const reservation of [...held, ...held]) if (reservation.kind === "reserved") reservation.release()
    expect(ledger.reserve(root(0), choice, 100).kind).toBe("reserved")
  })

  it("says what is spent and what is only reserved, and whether waiting helps", () => {
    const ledger = new Ledger()
    const held = ledger.reserve(root(5), choice, 300)
    expect(ledger.reserve(child(1, 0), choice, 100)).toMatchObject({
      kind: "refused",
      waitsFor: "reservation",
      message: expect.stringContaining("5.0000 spent, 4.0000 reserved by other model calls, up to 2.0000 needed"),
    })
    if (held.kind === "reserved") held.release()
    const refused = ledger.reserve(child(1, 4), choice, 100)
    expect(refused).toMatchObject({ message: expect.stringContaining("9.0000 spent, 0.0000 reserved") })
    expect(refused).not.toHaveProperty("waitsFor")
  })

  it("lets a session wait until there is room, or until too much is spent for it", async () => {
    const { signal } = new AbortController()
    for (const spent of [0, 5]) {
      const ledger = new Ledger()
      const held = ledger.reserve(root(5), choice, 300)
      expect(ledger.reserve(child(1, 0), choice, 100).kind).toBe("refused")
      const steps: string[] = []
      const waiting = ledger.released(idOf(1), signal).then(() => steps.push("released"))
      ledger.note(child(2, 0)) // nothing that concerns it
      await new Promise(setImmediate)
      steps.push("release")
      ledger.note(root(5 + spent))
      if (held.kind === "reserved") held.release()
      await waiting
      expect(steps).toEqual(["release", "released"])
      expect(ledger.reserve(child(1, 0), choice, 100).kind).toBe(spent === 0 ? "reserved" : "refused")
    }
  })

  it("is shared by a whole tree, with the limit of the root", () => {
    const ledger = new Ledger()
    expect(ledger.reserve(root(5), choice, 0).kind).toBe("reserved")
    expect(ledger.reserve(child(1, 3), choice, 0).kind).toBe("reserved")
    expect(ledger.reserve(child(2, 1), choice, 0)).toMatchObject({
      kind: "refused",
      message: expect.stringContaining("10 USD"),
    })
    ledger.reserve(root(5, 20), choice, 0)
    expect(ledger.reserve(child(2, 1), choice, 0).kind).toBe("reserved")
  })

  it("of another tree is not affected", () => {
    const ledger = new Ledger()
    ledger.reserve(root(9), choice, 0)
    const other = { ...root(0), created: { ...created, sessionId: "01890000-0000-7000-8000-000000000300" } }
    expect(ledger.reserve(other, choice, 100).kind).toBe("reserved")
  })

  it("does not count a child twice once its parent does, also before the child is closed", () => {
    const ledger = new Ledger()
    ledger.note(root(1))
    ledger.note(child(1, 4))
    ledger.note({ ...root(5), endedChildren: [{ id: idOf(1), seq: 9 }] })
    expect(ledger.reserve(root(5), choice, 300).kind).toBe("refused")
    ledger.note({ ...root(5), endedChildren: [{ id: idOf(1), seq: 9 }] })
    expect(ledger.reserve({ ...root(5), endedChildren: [{ id: idOf(1), seq: 9 }] }, choice, 300).kind).toBe("reserved")
    ledger.forget(idOf(1))
    expect(ledger.reserve({ ...root(5), endedChildren: [{ id: idOf(1), seq: 9 }] }, choice, 0).kind).toBe("reserved")
  })

  it("is separate for a detached child and its descendants", () => {
    const ledger = new Ledger()
    const { parent: _, ...alone } = child(1, 0).created ?? created
    const below = { sessionId: idOf(1), rootId: created.sessionId, depth: 2, reason: "r" }
    ledger.note(root(9.5))
    ledger.note({ ...child(1, 0), created: alone })
    const grandchild = { ...child(2, 0), created: { ...created, sessionId: idOf(2), parent: below } }
    expect(ledger.reserve(grandchild, choice, 0).kind).toBe("reserved")
    expect(ledger.reserve(root(9.5), choice, 0).kind).toBe("refused")
  })

  it("in tokens works without a price; in USD alone it does not", () => {
    const unpriced = { ...choice, costUsd: () => undefined }
    const tokens = { ...root(0), budget: { tokens: 250 } }
    expect(new Ledger().reserve(tokens, unpriced, 100).kind).toBe("reserved")
    expect(new Ledger().reserve(tokens, unpriced, 200).kind).toBe("refused")
    expect(new Ledger().reserve(root(0), unpriced, 1)).toMatchObject({
      message: expect.stringContaining("no price is known"),
    })
    expect(new Ledger().reserve({ ...root(0), budget: { usd: 1, tokens: 1000 } }, unpriced, 1).kind).toBe("reserved")
  })
})
