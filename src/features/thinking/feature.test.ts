import { describe, expect, it } from "vitest"
import { after, created, given, prompt, sent } from "../../session/fixtures/given.ts"
import { initialState } from "../../session/evolve.ts"

describe("the thinking level", () => {
  it("is that of the session's creation, or the provider's default", () => {
    expect(given().thinking).toBeUndefined()
    expect(after(initialState, [{ ...created, thinking: "high" }]).thinking).toBe("high")
  })

  it("applies from the next turn on", () => {
    const low = sent(given(), { type: "select-thinking", level: "low" })
    const running = sent(sent(low, prompt("1")), { type: "select-thinking", level: "max" })
    expect(running).toMatchObject({ turnThinking: "low", thinking: "max" })
    const ended = after(running, [{ type: "turn.ended", turnId: running.turn?.id ?? "trn_", reason: "done" }])
    expect(sent(ended, prompt("2")).turnThinking).toBe("max")
  })

  it("is the provider's default again after a selection without a level", () => {
    const high = sent(given(), { type: "select-thinking", level: "high" })
    expect(sent(high, { type: "select-thinking" }).thinking).toBeUndefined()
  })
})
