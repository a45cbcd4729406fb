import type { LanguageModelV4Prompt } from "@ai-sdk/provider"
import { describe, expect, it } from "vitest"
import { readablePrompt } from "./unreadable-files.ts"

const data = { type: "data", data: "iVBORw0KGgo=" } as const
const image = { type: "file", filename: 'a".png', mediaType: "image/png", data } as const
const pdf = { type: "file", filename: "b.pdf", mediaType: "application/pdf", data } as const
const text = { type: "text", text: "look" } as const
const prompt: LanguageModelV4Prompt = [
  { role: "system", content: "" },
  { role: "user", content: [text, image, pdf] },
  { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "read", input: {} }] },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "c",
        toolName: "read",
        output: { type: "content", value: [text, { ...image, mediaType: "image" }] },
      },
      { type: "tool-result", toolCallId: "d", toolName: "ls", output: { type: "text", value: "image/png" } },
    ],
  },
]
const imageNote =
  '[An image "a\\".png" is here, but this model cannot see images. Do not guess what it contains; say so if it is needed.]'

describe("a model that cannot see images", () => {
  it("gets a note in place of each, in prompts and in tool results", () => {
    const { prompt: sent, replaced } = readablePrompt(prompt, { seesImages: false })
    expect(replaced).toEqual(["images"])
    expect(sent[1]?.content).toEqual([text, { type: "text", text: imageNote }, pdf])
    expect(sent[3]?.content).toMatchObject([
      { output: { type: "content", value: [text, { type: "text", text: imageNote }] } },
      { output: { type: "text", value: "image/png" } },
    ])
  })
})

describe("a model that cannot read PDF files", () => {
  it("gets a note in place of each, and the images", () => {
    const { prompt: sent, replaced } = readablePrompt(prompt, { readsPdf: false })
    expect(replaced).toEqual(["PDF files"])
    expect(sent[1]?.content).toEqual([
      text,
      image,
      { type: "text", text: expect.stringContaining('A PDF file "b.pdf" is here') },
    ])
  })
})

it.each([{}, { seesImages: true, readsPdf: true }])("changes nothing for other models: %j", (abilities) => {
  expect(readablePrompt(prompt, abilities)).toEqual({ prompt, replaced: [] })
})

it("reports nothing where there is nothing to replace", () => {
  const plain: LanguageModelV4Prompt = [{ role: "user", content: [text] }]
  expect(readablePrompt(plain, { seesImages: false })).toEqual({ prompt: plain, replaced: [] })
})
