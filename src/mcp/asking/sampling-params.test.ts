import { describe, expect, it } from "vitest"
import { readSampling, samplingReply } from "./sampling-params.ts"

const text = (value: string) => ({ type: "text", text: value })
const user = { role: "user", content: text("Hello") }

describe("a request for the model", () => {
  it("becomes a prompt with the server's own text", () => {
    const messages = [
      { role: "assistant", content: text("Hi") },
      { role: "user", content: [text("a"), text("b")] },
    ]
    const wishes = { temperature: 1, includeContext: "allServers", modelPreferences: { hints: [{ name: "x" }] } }
    const read = readSampling("shop", { messages, maxTokens: 10, systemPrompt: "Be short.", ...wishes })
    const prompt = [["assistant", "Hi"] as const, ["user", "a\nb"] as const].map(([role, said]) => ({
      role,
      text: said,
    }))
    expect(read).toEqual({
      kind: "request",
      request: { server: "shop", system: "Be short.", messages: prompt, maxTokens: 10 },
    })
  })

  it.each<[string, unknown, string]>([
    [
      "an image",
      { messages: [{ role: "user", content: { type: "image", data: "", mimeType: "" } }], maxTokens: 1 },
      "'image'",
    ],
    [
      "sound among text",
      { messages: [{ role: "user", content: [text("a"), { type: "audio" }] }], maxTokens: 1 },
      "'audio'",
    ],
    ["tools", { messages: [user], maxTokens: 1, tools: [] }, "tools are not supported"],
    ["no bound", { messages: [user] }, "maxTokens"],
    ["a bound of zero", { messages: [user], maxTokens: 0 }, "maxTokens"],
    ["no messages", { messages: [], maxTokens: 1 }, "last message"],
    ["an answer at the end", { messages: [{ ...user, role: "assistant" }], maxTokens: 1 }, "last message"],
    ["another role", { messages: [{ ...user, role: "system" }], maxTokens: 1 }, "no role"],
    ["no content", { messages: [{ role: "user" }], maxTokens: 1 }, "'unknown'"],
    ["nothing", null, "maxTokens"],
  ])("with %s is refused with the reason", (_, params, reason) => {
    expect(readSampling("shop", params)).toMatchObject({ kind: "no", reason: expect.stringContaining(reason) })
  })

  it("is answered with the text and the model, or with the error that MCP has for a refusal", () => {
    expect(samplingReply({ kind: "answered", text: "Blue", model: "m" })).toEqual({
      kind: "result",
      result: { role: "assistant", content: { type: "text", text: "Blue" }, model: "m" },
    })
    expect(samplingReply({ kind: "refused", reason: "you denied it" })).toEqual({
      kind: "error",
      code: -1,
      message: "Sampling was refused: you denied it.",
    })
  })
})
