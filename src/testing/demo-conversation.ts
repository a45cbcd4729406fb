// For tests: a conversation with the offline demo model; the test answers its tool calls.
import type { LanguageModelV4Message, LanguageModelV4ToolResultOutput } from "@ai-sdk/provider"
import { answerOf, assistant, called, offer, result, user, type Answer } from "./index.ts"
import { offlineModel } from "../models/offline/offline-model.ts"

export type Output = string | LanguageModelV4ToolResultOutput
export type Run = (tool: string, input: unknown) => Output

export const core = ["bash", "read", "write", "edit", "grep", "find", "ls"]
export const greeting = [user("hi"), assistant("Hello.")]

export interface Conversation {
  readonly steps: readonly { readonly prompt: LanguageModelV4Message[]; readonly answer: Answer }[]
  readonly calls: readonly (readonly [string, unknown])[]
  readonly text: string
}

/** Calls the model as the runner does, with the results of its tool calls, until it answers without a call. */
export async function converse(message: string, run: Run, tools = core, before = greeting): Promise<Conversation> {
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
  const calls = answer.calls.map(({ toolCallId: id, toolName: tool, input }) => ({
    id,
    tool,
    input: JSON.parse(input),
  }))
  return [called(...calls), ...calls.map(({ id, tool, input }) => result(id, tool, run(tool, input)))]
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
