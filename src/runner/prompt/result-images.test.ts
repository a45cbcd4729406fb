import type { LanguageModelV4Prompt } from "@ai-sdk/provider"
import { describe, expect, it } from "vitest"
import type { AssistantItem } from "../../contract/views/context.ts"
import { promptMessages } from "./prompt-messages.ts"
import { withResultImages } from "./result-images.ts"
import { estimatedTokens, TOKENS_PER_FILE } from "./token-estimate.ts"
import { readablePrompt } from "./unreadable-files.ts"

const image = { name: "shot.png", mediaType: "image/png", data: "iVBORw0KGgo=".repeat(10_000) }
const item: AssistantItem = {
  kind: "assistant",
  seq: 1,
  lastSeq: 2,
  stepId: "stp_1",
  parts: [{ kind: "call", callId: "cal_1", tool: "read", input: { path: "shot.png" } }],
  results: { cal_1: { output: "shot.png: 3 × 2 pixels.", failed: false, images: [image] } },
}
const prompt = promptMessages([item], { system: "", takesPrefill: true })

function toolMessages(messages: LanguageModelV4Prompt) {
  return messages.slice(2)
}

const file = { type: "file", filename: "shot.png", mediaType: "image/png", data: { type: "data", data: image.data } }

describe("an image in a tool result", () => {
  it.each(["anthropic.messages", "openai.responses", "google.generative-ai", "amazon-bedrock", "offline"])(
    "is part of the result for %s",
    (provider) => {
      const output = { type: "content", value: [{ type: "text", text: "shot.png: 3 × 2 pixels." }, file] }
      expect(toolMessages(withResultImages(prompt, { provider }))).toMatchObject([
        { role: "tool", content: [{ toolCallId: "cal_1", output }] },
      ])
    },
  )

  it.each(["openai.chat", "groq.chat"])("follows as a message for %s", (provider) => {
    expect(toolMessages(withResultImages(prompt, { provider }))).toMatchObject([
      { role: "tool", content: [{ output: { type: "text", value: "shot.png: 3 × 2 pixels." } }] },
      { role: "user", content: [{ type: "text", text: expect.stringContaining("Not written by the user") }, file] },
    ])
  })

  it("is a note in the result for a model that sees no images", () => {
    const { prompt: readable } = readablePrompt(prompt, { seesImages: false })
    expect(JSON.stringify(withResultImages(readable, { provider: "openai.chat" }))).not.toContain(image.data)
    expect(toolMessages(withResultImages(readable, { provider: "openai.chat" }))).toMatchObject([
      { role: "tool", content: [{ output: { type: "text", value: expect.stringContaining("cannot see images") } }] },
    ])
  })

  it("counts as a file in the size of a request, not by its bytes", () => {
    expect(estimatedTokens({ prompt })).toBeLessThan(TOKENS_PER_FILE + 200)
    expect(estimatedTokens({ prompt })).toBeGreaterThan(TOKENS_PER_FILE)
  })
})
