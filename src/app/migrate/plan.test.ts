import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { firstHash, nextHash } from "../../log/chain.ts"
import { planOf, type Plan } from "./plan.ts"

const sessionId = "01890000-0000-7000-8000-000000000001"

function hashesOf(texts: readonly string[]): readonly string[] {
  const hashes = [firstHash(sessionId)]
  for (const text of texts) hashes.push(nextHash(hashes.at(-1) ?? "", text))
  return hashes
}

function headOf(texts: readonly string[]) {
  return { sessionId, seq: texts.length, hash: hashesOf(texts).at(-1) ?? "" }
}

/** By the events themselves. */
function expected(source: readonly string[], target: readonly string[]): Plan["kind"] {
  const isPrefix = target.every((text, index) => text === source[index])
  if (!isPrefix) return "conflict"
  return target.length === source.length ? "unchanged" : "copy"
}

describe("the plan for a session", () => {
  const texts = fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 6 })

  it("extends exactly a beginning of the source, and touches nothing that differs or is longer", async () => {
    await fc.assert(
      fc.asyncProperty(texts, texts, fc.boolean(), async (source, others, isBeginning) => {
        const target = isBeginning ? source.slice(0, others.length) : others
        const plan = await planOf(headOf(source), headOf(target), async (seq) => hashesOf(source)[seq])
        const { kind, afterSeq = target.length } = { afterSeq: undefined, ...plan }
        expect({ kind, afterSeq }).toEqual({ kind: expected(source, target), afterSeq: target.length })
      }),
    )
  })

  it("copies a session that is not in the target from its first event", async () => {
    expect(await planOf(headOf(["a"]), undefined, async () => undefined)).toEqual({ kind: "copy", afterSeq: 0 })
  })

  it("is a conflict where the event of the source cannot be read", async () => {
    const plan = await planOf(headOf(["a", "b"]), headOf(["a"]), async () => undefined)
    expect(plan.kind).toBe("conflict")
  })
})
