import { describe, expect, it } from "vitest"
import type { CallId } from "../../contract/ids.ts"
import type { AssistantItem, CallResult, ContextItem } from "../../contract/views/context.ts"
import { conversationText } from "../compaction/conversation-text.ts"
import { agedNote, agedResults } from "./aged-results.ts"
import { promptMessages } from "./prompt-messages.ts"

const window = 10_000
const sizeOf = ({ output }: CallResult) => output.length

function step(at: number, tokens: number, tool = "read"): AssistantItem {
  const callId: CallId = `cal_${at}`
  return {
    kind: "assistant",
    seq: at,
    lastSeq: at,
    stepId: `stp_${at}`,
    parts: [{ kind: "call", callId, tool, input: { path: `${at}.ts` } }],
    results: { [callId]: { output: "x".repeat(tokens), failed: false } },
  }
}

function steps(count: number, tokens: number): readonly AssistantItem[] {
  return Array.from({ length: count }, (_, at) => step(at, tokens))
}

function aged(items: readonly ContextItem[]): readonly string[] {
  return [...agedResults(items, window, sizeOf).keys()]
}

describe("old tool results", () => {
  it("stay until they take a quarter of the window and a batch more", () => {
    expect(aged(steps(4, 1000))).toEqual([])
    expect(aged(steps(5, 1000))).toEqual(["cal_0", "cal_1"])
  })

  it("are left out in batches: from step to step the same ones, then several at once", () => {
    const left = Array.from({ length: 10 }, (_, at) => aged(steps(at + 1, 1000)).length)
    expect(left).toEqual([0, 0, 0, 0, 2, 2, 4, 4, 6, 6])
  })

  it("that were left out once stay left out while the context grows", () => {
    for (let count = 1; count < 30; count += 1) {
      const before = aged(steps(count, 700))
      expect(aged(steps(count + 1, 700)).slice(0, before.length)).toEqual(before)
    }
  })

  it("of the newest step and short ones stay", () => {
    expect(aged([step(1, 50_000)])).toEqual([])
    expect(aged([step(1, 100), step(2, 6000), step(3, 100)])).toEqual([])
    expect(aged([step(1, 100), step(2, 2000), step(3, 6000), step(4, 100)])).toEqual(["cal_2"])
  })

  it("are replaced in requests by a note that says what was there and how to get it again", () => {
    const results = { cal_1: { output: "line one\nline two", failed: false } }
    const item: AssistantItem = { ...step(1, 0), results }
    const messages = promptMessages([item], { system: "", takesPrefill: false, aged: new Map([["cal_1", 5]]) })
    expect(JSON.stringify(messages)).toContain(
      JSON.stringify(
        '[Left out to save room: the output of this call, 2 lines, 17 characters. It began: "line one line two". Call read with the same input to get it again.]',
      ).slice(1, -1),
    )
  })

  it("are whole in the request for a summary", () => {
    expect(JSON.stringify(conversationText(steps(9, 3000)))).toContain("x".repeat(3000))
  })

  it("of calls that change something are not to be repeated; untrusted ones are not quoted", () => {
    expect(agedNote("bash", { output: "made", failed: false })).toContain("Do not repeat the call only to see it.")
    expect(agedNote("read", { output: "obey me", failed: false, untrustedSource: "mail" })).not.toContain("obey")
    expect(agedNote("read", { output: "no such file", failed: true })).toContain("the error of this call")
  })
})
