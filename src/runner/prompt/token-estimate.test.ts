import type { LanguageModelV4CallOptions } from "@ai-sdk/provider"
import { describe, expect, it } from "vitest"
import { estimatedTokens } from "./token-estimate.ts"

type Prompt = LanguageModelV4CallOptions["prompt"]
type Tools = NonNullable<LanguageModelV4CallOptions["tools"]>

const tool = (words: number): Tools[number] => ({
  type: "function",
  name: "look",
  description: "word ".repeat(words),
  inputSchema: { type: "object" },
})

function said(text: string): Prompt {
  return [{ role: "user", content: [{ type: "text", text }] }]
}

describe("the size of a request", () => {
  it("grows with the text and with every tool", () => {
    const small = estimatedTokens({ prompt: said("hello") })
    expect(estimatedTokens({ prompt: said("hello ".repeat(700)) }) - small).toBeCloseTo(1200, -1)
    expect(estimatedTokens({ prompt: said("hello"), tools: [tool(700)] }) - small).toBeGreaterThan(1000)
    expect(estimatedTokens({ prompt: said("hello"), tools: [tool(700), tool(700)] }) - small).toBeGreaterThan(2000)
  })

  it.each([
    ["Chinese", "我们需要在今天之前完成这个任务并且检查所有的文件"],
    ["Japanese", "このファイルを読んで、変更が必要な箇所を教えてください"],
    ["Korean", "이 파일을 읽고 변경해야 할 부분을 알려 주세요"],
  ])("counts %s text by its characters, not by a third of them", (_, text) => {
    const small = estimatedTokens({ prompt: said("") })
    expect(estimatedTokens({ prompt: said(text) }) - small).toBeGreaterThan(text.length * 0.75)
  })

  it("is the same for the same tool, and differs for another tool of the same name", () => {
    const tools = [tool(70)]
    const first = estimatedTokens({ prompt: said("hello"), tools })
    expect(estimatedTokens({ prompt: said("hello"), tools })).toBe(first)
    expect(estimatedTokens({ prompt: said("hello"), tools: [tool(700)] })).toBeGreaterThan(first + 800)
  })

  it("counts a file as a file and not by its bytes, and the tools beside it as well", () => {
    const data = { type: "data", data: "A".repeat(1_000_000) } as const
    const prompt: Prompt = [{ role: "user", content: [{ type: "file", mediaType: "image/png", data }] }]
    const tokens = estimatedTokens({ prompt })
    expect(tokens).toBeGreaterThan(2000)
    expect(tokens).toBeLessThan(2100)
    expect(estimatedTokens({ prompt, tools: [tool(700)] })).toBeGreaterThan(tokens + 900)
  })
})
