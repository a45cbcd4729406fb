import { describe, expect, it } from "vitest"
import { LiveStep } from "./live-step.ts"
import type { Scrubber } from "./services.ts"

const openly: Scrubber = {
  text: (text) => text,
  json: (value) => value,
  stream: () => ({ push: (text) => text, end: () => "" }),
}

function begun() {
  const live = new LiveStep("stp_1", { scrubber: openly, newId: () => "1", publish: () => {} })
  const say = (id: string, delta: string) => live.accept({ type: "text-delta", id, delta })
  return { live, say }
}

describe("what a step has said", () => {
  it("is handed out for a checkpoint piece by piece, each once", () => {
    const { live, say } = begun()
    say("a", "One ")
    say("b", "Other.")
    expect(live.takeUnsaved().map(({ block, text }) => [block, text])).toEqual([
      [0, "One "],
      [1, "Other."],
    ])
    say("a", "two.")
    expect(live.takeUnsaved()).toEqual([{ block: 0, kind: "text", text: "two." }])
    expect(live.takeUnsaved()).toEqual([])
  })

  it("comes again with what followed when it could not be stored", () => {
    const { live, say } = begun()
    say("a", "One ")
    const pieces = live.takeUnsaved()
    say("a", "two.")
    live.notSaved(pieces)
    expect(live.takeUnsaved()).toEqual([{ block: 0, kind: "text", text: "One two." }])
  })
})
