import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Told } from "./told.ts"
import type { TurnEvent } from "./turn-events.ts"

const story = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.string({ minLength: 1, maxLength: 5 }).map((text) => ({ type: "token", text }) as const),
    },
    {
      weight: 1,
      arbitrary: fc.string({ minLength: 1, maxLength: 3 }).map((text) => ({ type: "reasoning", text }) as const),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom("a", "b").map((tool) => ({ type: "tool-call", tool, input: {} }) as const),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom("a", "b")
        .map((tool) => ({ type: "tool-result", tool, isError: false, result: "" }) as const),
    },
  ),
  { maxLength: 30 },
)

describe("a turn that is told again", () => {
  it("is given out exactly once, however often and wherever the connection is lost", () => {
    fc.assert(
      fc.property(story, fc.array(fc.nat(30), { maxLength: 5 }), (events, cuts) => {
        const told = new Told()
        const given: TurnEvent[] = []
        for (const cut of cuts) {
          for (const event of joined(events.slice(0, cut))) given.push(...told.hear(event))
          told.again()
        }
        for (const event of joined(events)) given.push(...told.hear(event))
        expect(told.text).toBe(wordsOf(events, "token"))
        expect(wordsOf(given, "token")).toBe(wordsOf(events, "token"))
        expect(wordsOf(given, "reasoning")).toBe(wordsOf(events, "reasoning"))
        expect(given.filter(isTool)).toEqual(events.filter(isTool))
      }),
    )
  })

  it("is completed by its reply, whether words came before a tool or not", () => {
    const told = new Told()
    for (const event of [word("Let me look."), call, word("It is")]) told.hear(event)
    told.again()
    expect(told.completed("It is 5.", true)).toEqual([word(" 5.")])
    expect(told.text).toBe("Let me look.It is 5.")
  })

  it("needs nothing when the reply was heard, also as the last words before a tool", () => {
    const told = new Told()
    for (const event of [word("Done."), call]) told.hear(event)
    told.again()
    expect(told.completed("Done.", true)).toEqual([])
  })

  it("has the whole reply after a tool of which nothing was heard", () => {
    const told = new Told()
    for (const event of [word("Let me look."), call]) told.hear(event)
    told.again()
    expect(told.completed("It is 5.", true)).toEqual([word("It is 5.")])
  })

  it("is corrected when the reply is another", () => {
    const told = new Told()
    told.hear(word("It is sev"))
    told.again()
    expect(told.completed("It is 5.", true)).toEqual([{ type: "corrected", text: "It is 5." }])
    expect(told.text).toBe("It is 5.")
  })

  it("asks a second time only what is another question", () => {
    const told = new Told()
    const card = { type: "confirmation", tool: "a", description: "?" } as const
    expect(told.hear(card)).toEqual([card])
    told.hear(call)
    told.again()
    expect(told.open).toBeUndefined()
    expect(told.hear(card)).toEqual([])
    expect(told.open).toBe(card)
    told.hear(call)
    told.hear({ type: "tool-result", tool: "a", isError: false, result: "" })
    expect(told.open).toBeUndefined()
    expect(told.hear(card)).toEqual([card])
  })
})

const call = { type: "tool-call", tool: "a", input: {} } as const

function word(text: string): TurnEvent {
  return { type: "token", text }
}

/** As servers tell it again: words that follow each other are one. */
function joined(events: readonly TurnEvent[]): readonly TurnEvent[] {
  const told: TurnEvent[] = []
  for (const event of events) {
    const last = told.at(-1)
    if (last?.type === "token" && event.type === "token") told[told.length - 1] = word(last.text + event.text)
    else told.push(event)
  }
  return told
}

function wordsOf(events: readonly TurnEvent[], type: "token" | "reasoning"): string {
  return events.flatMap((event) => (event.type === type ? event.text : [])).join("")
}

function isTool({ type }: TurnEvent): boolean {
  return type === "tool-call" || type === "tool-result"
}
