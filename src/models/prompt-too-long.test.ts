import { describe, expect, it } from "vitest"
import { isPromptTooLong } from "./verdict.ts"
import { readProviderError } from "./provider-error.ts"

function isTooLong(error: object): boolean {
  return isPromptTooLong(readProviderError(error))
}

describe("a request that is too long is recognised", () => {
  it.each([
    "prompt is too long: 210000 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length",
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    "The input token count (1048600) exceeds the maximum number of tokens allowed (1048576).",
    "Input is too long for requested model.",
    "the request exceeds the available context size. try increasing the context size",
    "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "Please reduce the length of the messages or completion.",
    "Trying to keep the first 9000 tokens. However, the model is loaded with context length of only 4096 tokens",
  ])("by the provider's message: %s", (message) => {
    expect(isTooLong({ statusCode: 400, message })).toBe(true)
  })

  it("by its code, also inside a stream", () => {
    const error = { type: "invalid_request_error", code: "context_length_exceeded", message: "no" }
    expect(isTooLong({ statusCode: 400, message: "no", data: { error } })).toBe(true)
    expect(isTooLong({ type: "error", error })).toBe(true)
    expect(isTooLong({ statusCode: 413, message: "Request Entity Too Large" })).toBe(true)
  })

  it.each([
    [429, "Request too large for gpt-4: limit 10000 tokens per min. Reduce the length of the messages."],
    [400, "max_tokens: 40000 > 8192, which is the maximum allowed number of output tokens"],
    [400, "messages: at least one message is required"],
    [500, "Internal server error"],
  ])("not by %i %s", (statusCode, message) => {
    expect(isTooLong({ statusCode, message })).toBe(false)
  })
})
