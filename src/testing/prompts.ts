// Short prompts and complete answers, for tests that call a model directly.
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4Usage,
} from "@ai-sdk/provider"

export function user(text: string): LanguageModelV4Message {
  return { role: "user", content: [{ type: "text", text }] }
}

export function assistant(text: string): LanguageModelV4Message {
  return { role: "assistant", content: [{ type: "text", text }] }
}

export function called(...calls: readonly { id: string; tool: string; input: unknown }[]): LanguageModelV4Message {
  const content = calls.map(
    ({ id, tool, input }) => ({ type: "tool-call", toolCallId: id, toolName: tool, input }) as const,
  )
  return { role: "assistant", content }
}

/** A string is the output of a successful call. */
export function result(
  id: string,
  tool: string,
  output: string | LanguageModelV4ToolResultOutput,
): LanguageModelV4Message {
  const value = typeof output === "string" ? ({ type: "text", value: output } as const) : output
  return { role: "tool", content: [{ type: "tool-result", toolCallId: id, toolName: tool, output: value }] }
}

export function offer(...names: readonly string[]): LanguageModelV4FunctionTool[] {
  return names.map((name) => ({ type: "function", name, inputSchema: { type: "object" } }))
}

export interface Answer {
  readonly parts: readonly LanguageModelV4StreamPart[]
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly LanguageModelV4ToolCall[]
  readonly finish: LanguageModelV4FinishReason["unified"] | undefined
  readonly usage: LanguageModelV4Usage | undefined
}

export async function answerOf(model: LanguageModelV4, options: LanguageModelV4CallOptions): Promise<Answer> {
  const { stream } = await model.doStream(options)
  const parts = await Array.fromAsync(stream)
  const finish = parts.find((part) => part.type === "finish")
  return {
    parts,
    text: parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : [])).join(""),
    reasoning: parts.flatMap((part) => (part.type === "reasoning-delta" ? [part.delta] : [])).join(""),
    calls: parts.filter((part) => part.type === "tool-call"),
    finish: finish?.finishReason.unified,
    usage: finish?.usage,
  }
}
