// For tests: a conversation with the offline demo, whose calls are answered by the test.
import type { LanguageModelV4Message, LanguageModelV4ToolResultOutput } from "@ai-sdk/provider"
import { answerOf, assistant, offer, user, type Answer } from "./index.ts"
import { offlineModel } from "../models/offline/offline-model.ts"

export type Output = string | LanguageModelV4ToolResultOutput
export type Run = (tool: string, input: unknown) => Output

export const core = ["bash", "read", "write", "edit", "grep", "find", "ls"]
export const spoken = [user("hi"), assistant("Hello.")]

export interface Conversation {
  readonly steps: readonly { readonly prompt: LanguageModelV4Message[]; readonly answer: Answer }[]
  readonly calls: readonly (readonly [string, unknown])[]
  readonly text: string
}

/** Talks to the demo until it answers, as the runner does: every call gets its result, then it is asked again. */
export async function converse(message: string, run: Run, tools = core, before = spoken): Promise<Conversation> {
  const prompt = [...before, user(message)]
  const steps: { prompt: LanguageModelV4Message[]; answer: Answer }[] = []
  for (;;) {
    const answer = await ask(prompt, tools)
    steps.push({ prompt: [...prompt], answer })
    if (answer.calls.length === 0) {
      const calls = steps.flatMap((step) =>
        step.answer.calls.map((call) => [call.toolName, JSON.parse(call.input)] as const),
      )
      return { steps, calls, text: answer.text }
    }
    prompt.push(...exchange(answer, run))
  }
}

export function ask(prompt: readonly LanguageModelV4Message[], tools = core): Promise<Answer> {
  return answerOf(offlineModel("offline/demo", { delayMs: 0 }), { prompt: [...prompt], tools: offer(...tools) })
}

export function exchange(answer: Answer, run: Run): readonly LanguageModelV4Message[] {
  const calls = answer.calls.map(
    (call) =>
      ({
        type: "tool-call",
        toolCallId: call.toolCallId,
        toolName: call.toolName,
        input: JSON.parse(call.input),
      }) as const,
  )
  const results = calls.map(({ toolCallId, toolName, input }) => {
    const output = run(toolName, input)
    const value = typeof output === "string" ? ({ type: "text", value: output } as const) : output
    return { type: "tool-result", toolCallId, toolName, output: value } as const
  })
  return [
    { role: "assistant", content: calls },
    { role: "tool", content: results },
  ]
}

export function failing(value: string): LanguageModelV4ToolResultOutput {
  return { type: "error-text", value }
}

export function numbered(...lines: readonly string[]): string {
  return lines.map((line, index) => `${String(index + 1).padStart(6)}\t${line}`).join("\n")
}

export const packageJson = numbered(
  "{",
  '  "name": "teapot",',
  '  "scripts": { "test": "vitest" },',
  '  "version": "2.1.0"',
  "}",
)

export function answerIn(step: { readonly answer: Answer } | undefined): Answer {
  if (step === undefined) throw new Error("There was no step.")
  return step.answer
}
