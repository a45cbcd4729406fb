import fc from "fast-check"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { SessionEvent } from "../../contract/events.ts"
import { treeDoor } from "../../contract/rules/session-settings.ts"
import { foldReferences, hintOf, noReferences, qualityOf, type References } from "./references.ts"

interface Case {
  readonly history: readonly Done[]
  readonly then: string
  readonly hint: string | null
}

type Done =
  | { readonly said: string }
  | { readonly wrote: string }
  | { readonly read: string }
  | { readonly ran: string }

const you = { principal: "you", door: "test" }
const cases: readonly Case[] = JSON.parse(readFileSync(new URL("fixtures/references.json", import.meta.url), "utf8"))

class Conversation {
  references: References = noReferences
  #ids = 0

  event(...events: readonly SessionEvent[]): this {
    for (const event of events) this.references = foldReferences(this.references, { seq: 1, at: 0, event })
    return this
  }

  said(text: string, by = you, untrustedSource?: string): this {
    const promptId = `prm_${(this.#ids += 1)}` as const
    const admitted = { type: "prompt.admitted", promptId, text, delivery: "next-turn", by, untrustedSource } as const
    return this.event(admitted, { type: "prompt.promoted", promptId, turnId: "trn_1" })
  }

  called(tool: string, input: Readonly<Record<string, string>>, outcome: "done" | "failed" = "done"): this {
    const callId = `cal_${(this.#ids += 1)}` as const
    return this.event(
      { type: "tool.called", stepId: "stp_1", callId, tool, input },
      { type: "tool.ended", callId, outcome, output: "" },
    )
  }

  did(done: Done): this {
    if ("said" in done) return this.said(done.said)
    if ("wrote" in done) return this.called("write", { path: done.wrote, content: "x" })
    return "read" in done ? this.called("read", { path: done.read }) : this.called("bash", { command: done.ran })
  }

  get hint(): string | undefined {
    return hintOf(this.references)
  }
}

describe("a reference", () => {
  it.each(cases)("$then (after $history) is $hint", ({ history, then, hint }) => {
    const conversation = new Conversation()
    for (const done of history) conversation.did(done)
    expect(conversation.said(then).hint ?? null).toBe(hint)
  })

  it("covers many sentences, many of which must not be resolved", () => {
    expect(cases.length).toBeGreaterThanOrEqual(60)
    expect(cases.filter(({ hint }) => hint === null).length).toBeGreaterThan(30)
  })
})

describe("a named entity", () => {
  it("is counted once, and quality is the share of references that were resolved", () => {
    const conversation = new Conversation().said("src/a.ts and src/a.ts and parse()").said("Fix it. Open the file.")
    expect(conversation.references).toMatchObject({ found: 2, resolved: 1, last: { words: "the file" } })
    expect(conversation.references.seen).toHaveLength(2)
    expect(qualityOf(conversation.references)).toBe(0.5)
    expect(qualityOf(noReferences)).toBe(1)
  })

  it("in a prompt that no person wrote is not a target, and its references are not resolved", () => {
    const agent = { principal: "session x", door: treeDoor }
    expect(new Conversation().said("Look at src/a.ts", agent).said("Fix it").hint).toBeUndefined()
    expect(new Conversation().said("Look at src/a.ts", you, "mail").said("Fix it").hint).toBeUndefined()
    expect(new Conversation().said("Look at src/a.ts").said("Fix it", you, "mail").hint).toBeUndefined()
  })

  it("does not count as written when the write failed", () => {
    const read = new Conversation().said("Go on").called("read", { path: "a.ts" })
    expect(read.called("write", { path: "b.ts" }, "failed").said("Fix it").hint).toBeUndefined()
  })

  it("is forgotten when the conversation is cleared or rewound", () => {
    for (const event of [
      { type: "context.cleared", by: you },
      { type: "context.rewound", toSeq: 1, by: you },
    ] as const)
      expect(new Conversation().said("Look at src/a.ts").event(event).said("Fix it").hint).toBeUndefined()
  })

  it("counts once its prompt is delivered, and not if the prompt is withdrawn", () => {
    const conversation = new Conversation().said("Look at src/a.ts")
    const waiting = { promptId: "prm_w", text: "Fix it", delivery: "next-turn", by: you } as const
    conversation.event({ type: "prompt.admitted", ...waiting })
    expect(conversation.hint).toBeUndefined()
    conversation.event({ type: "prompt.withdrawn", promptId: "prm_w", reason: "no" })
    expect(conversation.references.waiting).toEqual({})
  })
})

describe("hostile text", () => {
  const sized = (unit: string) => unit.repeat(Math.ceil(1_000_000 / unit.length))

  it.each([
    ["one long word", "a"],
    ["dots", "."],
    ["a path without an end", "a/"],
    ["dotted names", "a.b"],
    ["backticks", "`"],
    ["quotation marks", '"'],
    ["fences", "```\n"],
    ["fillers", "please "],
    ["references", "fix it. "],
    ["definite phrases", "the file. "],
    ["nouns", "a a a a "],
    ["mentions", "src/a.ts "],
    ["calls", "a()"],
    ["spaces", " "],
    ["newlines", "\n"],
    ["halves of characters", "\ud83d"],
  ])("of a megabyte (%s) takes linear time and leaves bounded state", (_, unit) => {
    const before = new Conversation().said("Look at src/a.ts")
    const { references } = before.said(sized(unit)) // a search that goes back and forth would run into the time limit
    expect(JSON.stringify(references).length).toBeLessThan(20_000)
  })

  it("of any kind leaves bounded state and only names that occur in it", () => {
    const piece = fc.oneof(
      fc.constantFrom("fix it", "the file", "src/a.ts", "parse()", "`npm test`", "it", ".", "\n", "a", "the"),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(fc.array(piece, { maxLength: 12 }), { maxLength: 30 }), (texts) => {
        const conversation = new Conversation()
        const all = texts.map((pieces) => pieces.join(" "))
        for (const text of all) conversation.said(text)
        const { focus, newest, found, resolved, seen } = conversation.references
        expect(focus.length).toBeLessThanOrEqual(20)
        expect(newest.length).toBeLessThanOrEqual(5)
        expect(resolved).toBeLessThanOrEqual(found)
        expect(seen.length).toBeGreaterThanOrEqual(focus.length)
        for (const { name } of focus) expect(all.some((text) => text.includes(name))).toBe(true)
      }),
    )
  })

  it("is analysed in bounded time", () => {
    const conversation = new Conversation()
    for (let turn = 0; turn < 10; turn++)
      conversation.said(Array.from({ length: 200 }, (_, index) => `src/f${turn}x${index}.ts`).join(" "))
    expect(conversation.references.seen).toHaveLength(500)
    expect(conversation.references.focus).toHaveLength(20)
  })
})
