import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../contract/values.ts"
import { readProviderResult } from "../../protocols/extension/providers.ts"
import { ModelAnswer, usageIn } from "./model-answer.ts"

type Streamed = readonly (readonly ["text" | "reasoning", string])[]

function partsOf(content: JsonValue, streamed: Streamed = [], more: Record<string, JsonValue> = {}) {
  const parts: LanguageModelV4StreamPart[] = []
  const answer = new ModelAnswer((part) => void parts.push(part), "x:p")
  for (const [kind, delta] of streamed) answer.stream(kind, delta)
  const read = readProviderResult({ content, ...more })
  if (read.kind === "invalid") throw new Error(read.problem)
  answer.end(read.answer, null)
  return parts
}

/** What a reader of the stream hears, one word for each delta. */
function heard(parts: readonly LanguageModelV4StreamPart[]) {
  return parts.flatMap((part) => (part.type === "text-delta" || part.type === "reasoning-delta" ? [part.delta] : []))
}

const text = (said: string) => ({ type: "text", text: said })

describe("the answer of an extension's model", () => {
  it("consists of blocks with a start and an end", () => {
    const call = { type: "tool_use", id: "1", name: "bash", input: { command: "ls" } }
    const parts = partsOf([
      { type: "thinking", thinking: "hm", signature: "s" },
      text("hi"),
      call,
      { ...call, input: undefined },
    ])
    expect(parts).toMatchObject([
      { type: "reasoning-start", id: "0" },
      { type: "reasoning-delta", id: "0", delta: "hm" },
      { type: "reasoning-end", id: "0", providerMetadata: { "x:p": { signature: "s" } } },
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: "hi" },
      { type: "text-end", id: "1" },
      { type: "tool-call", toolCallId: "0 1", toolName: "bash", input: '{"command":"ls"}' },
      { type: "tool-call", toolCallId: "1 1", toolName: "bash", input: "{}" },
      { type: "finish", finishReason: { unified: "tool-calls" } },
    ])
  })

  it.for<[string, Streamed, JsonValue[], string[]]>([
    [
      "repeats all of it",
      [
        ["text", "one "],
        ["text", "two"],
      ],
      [text("one two")],
      ["one ", "two"],
    ],
    ["repeats it in other pieces", [["text", "one two"]], [text("one "), text("two")], ["one two"]],
    ["is empty", [["text", "one"]], [], ["one"]],
    ["has more", [["text", "one "]], [text("one two")], ["one ", "two"]],
    ["has more in another block", [["text", "one "]], [text("one "), text("two")], ["one ", "two"]],
    ["says something else", [["text", "one"]], [text("two"), text("three")], ["one"]],
    ["has thoughts besides", [["text", "one"]], [{ type: "thinking", thinking: "hm" }, text("one")], ["one", "hm"]],
  ])("repeats nothing when the result %s", ([, streamed, content, expected]) => {
    expect(heard(partsOf(content, streamed))).toEqual(expected)
  })

  it("keeps reasoning and text apart, in order", () => {
    const streamed = [
      ["reasoning", "a"],
      ["text", "b"],
      ["reasoning", "c"],
    ] as const
    const starts = partsOf([], streamed).filter(({ type }) => type.endsWith("-start"))
    expect(starts).toEqual([
      { type: "reasoning-start", id: "0" },
      { type: "text-start", id: "1" },
      { type: "reasoning-start", id: "2" },
    ])
  })

  it.for([
    [undefined, "stop"],
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["refusal", "content-filter"],
    ["toString", "other"],
  ] as const)("with the stop reason %s finishes with: %s", ([stop_reason, unified]) => {
    const finish = partsOf([text("hi")], [], stop_reason === undefined ? {} : { stop_reason }).at(-1)
    expect(finish).toMatchObject({ type: "finish", finishReason: { unified, raw: stop_reason } })
  })

  it("counts cached tokens as input", () => {
    const counts = { input_tokens: 5, output_tokens: 7, cache_read_input_tokens: 10, cache_creation_input_tokens: 20 }
    expect(usageIn(counts)).toMatchObject({
      inputTokens: { total: 35, noCache: 5, cacheRead: 10, cacheWrite: 20 },
      outputTokens: { total: 7 },
    })
    expect(usageIn(null)).toMatchObject({ inputTokens: { total: undefined }, outputTokens: { total: undefined } })
    expect(usageIn({ input_tokens: "5", output_tokens: -1 })).toMatchObject({ inputTokens: { total: undefined } })
  })
})
