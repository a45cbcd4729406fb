import { describe, expect, it } from "vitest"
import type { SessionDelta } from "../../contract/deltas.ts"
import { LiveStep } from "./live-step.ts"
import type { Scrubber } from "../session-context.ts"

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

describe("the text of a step", () => {
  it("is returned for checkpoints piece by piece, each once", () => {
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

  it("is returned again with the text that followed when it could not be stored", () => {
    const { live, say } = begun()
    say("a", "One ")
    const pieces = live.takeUnsaved()
    say("a", "two.")
    live.notSaved(pieces)
    expect(live.takeUnsaved()).toEqual([{ block: 0, kind: "text", text: "One two." }])
  })
})

describe("a step whose text is being stored", () => {
  it("publishes nothing more, and returns only published text", () => {
    const published: string[] = []
    const publish = (delta: SessionDelta) => void ("delta" in delta && published.push(delta.delta))
    const live = new LiveStep("stp_1", { scrubber: openly, newId: () => "1", publish })
    live.accept({ type: "text-delta", id: "a", delta: "Once " })
    live.hold()
    live.accept({ type: "text-delta", id: "a", delta: "upon " })
    expect(published.join("")).toBe("Once ")
    expect(live.streamed()).toEqual([{ block: 0, kind: "text", text: "Once " }])
    live.release()
    live.accept({ type: "text-delta", id: "a", delta: "a time" })
    expect(published).toEqual(["Once ", "upon ", "a time"])
    expect(live.streamed()).toEqual([{ block: 0, kind: "text", text: "Once upon a time" }])
  })
})
