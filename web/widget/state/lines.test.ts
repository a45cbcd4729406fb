import { describe, expect, it } from "vitest"
import type { TurnEvent } from "../../../src/clients/ws/index.ts"
import { applyEvent, endTurn, isOpen, stopTurn, type Line } from "./lines.ts"

const confirmation = { type: "confirmation", tool: "refund", description: "Refund 1002?" } as const
const token = (text: string) => ({ type: "token", text }) as const
const source = { id: "d1", title: "Returns", snippet: "30 days", score: 1 }

function after(...events: readonly TurnEvent[]): readonly Line[] {
  return events.reduce<readonly Line[]>((lines, event) => applyEvent(lines, event, "t1"), [])
}

describe("the lines of a turn", () => {
  it("join streamed text, and begin a new message after a tool call", () => {
    const lines = after(token("One "), token("two."), { type: "tool-call", tool: "a", input: {} }, token("Three."))
    expect(lines).toMatchObject([
      { text: "One two.", isStreaming: false },
      { text: "Three.", isStreaming: true },
    ])
    expect(new Set(lines.map(({ id }) => id)).size).toBe(2)
  })

  it("keep the identity of lines that did not change", () => {
    const before = after(token("One."), confirmation)
    expect(applyEvent(before, token("Two."), "t1")[0]).toBe(before[0])
  })

  it("close a card with its tool's result, and leave the card of another tool open", () => {
    const result = { type: "tool-result", isError: false, result: "" } as const
    expect(after(confirmation, { ...result, tool: "other" }).some(isOpen)).toBe(true)
    expect(after(confirmation, { ...result, tool: "refund" })).toMatchObject([{ outcome: "elsewhere" }])
  })

  it("show the errors of an answer at the open card", () => {
    const errors = [{ field: "email", message: "wrong" }]
    const card = { type: "interaction", interactionId: "i", kind: "identity_intake", spec: {}, reason: "" } as const
    expect(after(card, { type: "interaction-invalid", interactionId: "i", errors })).toMatchObject([{ errors }])
  })

  it("replace all text of the turn when it is corrected, and keep its cards", () => {
    const lines = after(token("Wrong."), confirmation, token("Also."), { type: "corrected", text: "Right." })
    expect(lines).toMatchObject([{ kind: "card" }, { text: "Right." }])
  })

  it("end with the sources, and with the reply where nothing was streamed", () => {
    const reply = { text: "Done.", citations: [source] }
    expect(endTurn(after(token("Done.")), reply, "t1")).toMatchObject([
      { text: "Done.", citations: [source], isStreaming: false },
    ])
    expect(endTurn([], reply, "t1")).toMatchObject([{ text: "Done.", citations: [source] }])
  })

  it("keep a one-time code open after the turn, and close it when the turn fails", () => {
    const code = after({ type: "code-sent", channel: "email", destination: "a…@x" })
    expect(endTurn(code, { text: "Who are you?", citations: [] }, "t1").some(isOpen)).toBe(true)
    expect(stopTurn(code).some(isOpen)).toBe(false)
  })
})
