import { describe, expect, it } from "vitest"
import type { ProofOptions } from "../../app/prove/run-proof.ts"
import type { Violation } from "../../app/prove/violation.ts"
import { printedAll } from "./all-report.ts"
import type { Proof } from "./proofs.ts"
import { runAll, type Progress } from "./run-all.ts"

/** A table of proofs that take time on a clock of their own. */
class Table {
  readonly proofs: Proof[] = []
  /** Name, count and seed of each run. */
  readonly ran: (readonly [string, number, number])[] = []
  readonly seen: Progress[] = []
  #now = 0

  /** `seconds`: of a run with this count. */
  add(name: string, usualCount: number, seconds: (count: number) => number, finds?: (seed: number) => boolean): this {
    const prove = async ({ count, seed, signal, onProgress }: ProofOptions) => {
      signal.throwIfAborted()
      this.ran.push([name, count, seed])
      onProgress(count)
      this.#now += seconds(count) * 1000
      const found: Violation = { kind: "leaked", event: "turn.ended", what: "it leaks", home: "/homes/0" }
      const violations = finds?.(seed) === true ? [found] : []
      const kept = violations.length === 0 ? undefined : "/homes"
      return {
        counted: { teas: count },
        table: "",
        rows: [],
        extent: "",
        facts: {},
        violations,
        seed,
        seconds: 1,
        kept,
      }
    }
    this.proofs.push({ name, unit: "teas", usualCount, help: [], load: () => Promise.resolve({ prove }) })
    return this
  }

  run(seconds: number, signal = new AbortController().signal) {
    const onProgress = (at: Progress) => void this.seen.push(at)
    return runAll({ proofs: this.proofs, seconds, seed: 5, signal, onProgress, now: () => this.#now })
  }

  get seconds(): number {
    return this.#now / 1000
  }
}

describe("prove all", () => {
  it("runs each proof once even if there is no time for it", async () => {
    const table = new Table().add("one", 100, () => 50).add("two", 1000, () => 50)
    await table.run(10)
    expect(table.ran).toEqual([
      ["one", 2, 5],
      ["two", 20, 5],
    ])
  })

  it("uses most of its time, and no more, in rounds that grow and have other seeds", async () => {
    const table = new Table().add("slow", 100, (count) => 1 + count).add("quick", 1e6, (count) => 0.1 + count / 10_000)
    await table.run(600)
    expect(table.seconds).toBeGreaterThan(400)
    expect(table.seconds).toBeLessThanOrEqual(600)
    const own = (name: string) => table.ran.filter(([one]) => one === name)
    expect(own("slow")[1]?.[1]).toBeGreaterThan(own("slow")[0]?.[1] ?? 0)
    expect(own("quick").map(([, , seed]) => seed)).toEqual(own("quick").map((_, index) => 5 + index))
  })

  it("leaves out a proof whose shortest run takes longer than its share", async () => {
    const table = new Table().add("long", 1, () => 40).add("quick", 100, (count) => count / 10)
    await table.run(100)
    expect(table.ran.filter(([name]) => name === "long")).toHaveLength(1)
    expect(table.ran.filter(([name]) => name === "quick").length).toBeGreaterThan(1)
  })

  it("stops at the first broken promise", async () => {
    const table = new Table()
      .add("good", 100, () => 1)
      .add("bad", 100, () => 1, (seed) => seed === 6) // prettier-ignore
    const runs = await table.run(100)
    expect(table.ran.at(-1)).toEqual(["bad", expect.any(Number), 6])
    const lines = printedAll(runs, 5, true)
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line))
    expect(lines.at(-1)).toMatchObject({ proofs: 2, runs: 4, seed: 5, lost: 0, doubled: 0, broken: 0, leaked: 1 })
    expect(lines).toContainEqual(expect.objectContaining({ kind: "leaked", home: "/homes/0" }))
    expect(lines).toContainEqual(expect.objectContaining({ proof: "bad", runs: 2, violations: 1 }))
    expect(lines[3]).toMatchObject({ command: expect.stringMatching(/^turnhouse prove bad --seed 6 --teas \d+$/) })
  })

  it("prints a row for each proof, and the totals", async () => {
    const table = new Table().add("one", 100, () => 5).add("two", 50, () => 5)
    const text = printedAll(await table.run(10), 5, false)
    expect(text).toMatch(/^PROOF +RUNS +COUNT +SECONDS +VIOLATIONS\none +1 +2 +teas +5 +0\ntwo +1 +1 +teas +5 +0\n/)
    expect(text).toContain("2 proofs, 2 runs\n0 lost, 0 doubled, 0 broken, 0 leaked · seed 5, 10 s\n")
  })

  it("passes an interrupt to the proof that runs", async () => {
    const stop = new AbortController()
    const table = new Table().add("one", 100, () => 1)
    stop.abort(new Error("interrupted"))
    await expect(table.run(10, stop.signal)).rejects.toThrow("interrupted")
  })
})
