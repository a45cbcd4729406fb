import type { LanguageModelV4Prompt } from "@ai-sdk/provider"
import { expect, it } from "vitest"
import { callsWithoutThoughts, withOwnThoughts } from "./own-thoughts.ts"

const text = { type: "text", text: "Yes." } as const

function promptWith(providerOptions: Record<string, Record<string, string>> | undefined): LanguageModelV4Prompt {
  const thought = {
    type: "reasoning",
    text: "Hm.",
    ...(providerOptions === undefined ? {} : { providerOptions }),
  } as const
  return [{ role: "assistant", content: [thought, text] }]
}

it.each([
  ["anthropic.messages", { anthropic: { signature: "s" } }, true],
  ["amazon-bedrock", { bedrock: { signature: "s" } }, true],
  ["amazon-bedrock", { amazonBedrock: { signature: "s" } }, true],
  ["openai.responses", { anthropic: { signature: "s" } }, false],
  ["groq.chat", { openai: { itemId: "r" } }, false],
  ["groq.chat", undefined, true],
] as const)("sends thoughts to %s that are signed as %j: %s", (provider, signed, isSent) => {
  const [message] = withOwnThoughts({ provider }, promptWith(signed))
  expect(message?.content).toHaveLength(isSent ? 2 : 1)
})

it("leaves out a message of foreign thoughts alone", () => {
  const thought = { type: "reasoning", text: "Hm.", providerOptions: { openai: { itemId: "r" } } } as const
  expect(withOwnThoughts({ provider: "anthropic.messages" }, [{ role: "assistant", content: [thought] }])).toEqual([])
})

it("knows calls that no thought precedes", () => {
  const call = { type: "tool-call", toolCallId: "c", toolName: "ls", input: {} } as const
  const output = { type: "text", value: "" } as const
  const result = { role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: "ls", output }] } as const
  const [thinking] = promptWith(undefined)
  expect(
    callsWithoutThoughts([
      { role: "assistant", content: [call] },
      { ...result, content: [...result.content] },
    ]),
  ).toBe(true)
  expect(callsWithoutThoughts(thinking === undefined ? [] : [thinking])).toBe(false)
})
