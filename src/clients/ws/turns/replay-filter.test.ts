import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ReplayFilter } from "./replay-filter.ts"
import type { TurnEvent } from "./turn-events.ts"

const turnEvents = fc.array(
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

describe("ReplayFilter", () => {
  it("passes every event exactly once, however often and wherever the connection is lost", () => {
    fc.assert(
      fc.property(turnEvents, fc.array(fc.nat(30), { maxLength: 5 }), (events, cuts) => {
        const filter = new ReplayFilter()
        const passed: TurnEvent[] = []
        for (const cut of cuts) {
          for (const event of joined(events.slice(0, cut))) passed.push(...filter.filter(event))
          filter.restart()
        }
        for (const event of joined(events)) passed.push(...filter.filter(event))
        expect(filter.text).toBe(textOf(events, "token"))
        expect(textOf(passed, "token")).toBe(textOf(events, "token"))
        expect(textOf(passed, "reasoning")).toBe(textOf(events, "reasoning"))
        expect(passed.filter(isTool)).toEqual(events.filter(isTool))
      }),
    )
  })

  it("adds the rest of the reply to the text after the last tool call", () => {
    const filter = new ReplayFilter()
    for (const event of [token("Let me look."), call, token("It is")]) filter.filter(event)
    filter.restart()
    expect(filter.complete("It is 5.", true)).toEqual([token(" 5.")])
    expect(filter.text).toBe("Let me look.It is 5.")
  })

  it("adds nothing when the reply was received before the last tool call", () => {
    const filter = new ReplayFilter()
    for (const event of [token("Done."), call]) filter.filter(event)
    filter.restart()
    expect(filter.complete("Done.", true)).toEqual([])
  })

  it("adds the whole reply when nothing was received after the tool call", () => {
    const filter = new ReplayFilter()
    for (const event of [token("Let me look."), call]) filter.filter(event)
    filter.restart()
    expect(filter.complete("It is 5.", true)).toEqual([token("It is 5.")])
  })

  it("corrects the text when the reply differs", () => {
    const filter = new ReplayFilter()
    filter.filter(token("It is sev"))
    filter.restart()
    expect(filter.complete("It is 5.", true)).toEqual([{ type: "corrected", text: "It is 5." }])
    expect(filter.text).toBe("It is 5.")
  })

  it("passes a repeated card once, and a new card with the same text again", () => {
    const filter = new ReplayFilter()
    const card = { type: "confirmation", tool: "a", description: "?" } as const
    expect(filter.filter(card)).toEqual([card])
    filter.filter(call)
    filter.restart()
    expect(filter.openCard).toBeUndefined()
    expect(filter.filter(card)).toEqual([])
    expect(filter.openCard).toBe(card)
    filter.filter(call)
    filter.filter({ type: "tool-result", tool: "a", isError: false, result: "" })
    expect(filter.openCard).toBeUndefined()
    expect(filter.filter(card)).toEqual([card])
  })
})

const call = { type: "tool-call", tool: "a", input: {} } as const

function token(text: string): TurnEvent {
  return { type: "token", text }
}

/** As servers repeat it: consecutive text is one piece. */
function joined(events: readonly TurnEvent[]): readonly TurnEvent[] {
  const merged: TurnEvent[] = []
  for (const event of events) {
    const last = merged.at(-1)
    if (last?.type === "token" && event.type === "token") merged[merged.length - 1] = token(last.text + event.text)
    else merged.push(event)
  }
  return merged
}

function textOf(events: readonly TurnEvent[], type: "token" | "reasoning"): string {
  return events.flatMap((event) => (event.type === type ? event.text : [])).join("")
}

function isTool({ type }: TurnEvent): boolean {
  return type === "tool-call" || type === "tool-result"
}
