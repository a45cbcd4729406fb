// Reads a prompt: the text of its messages, tool results, and an answer that was cut off.
import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider"

import { environmentTag } from "../../contract/rules/changing-part.ts"

export interface Settled {
  readonly tool: string
  readonly input: unknown
  readonly status: "done" | "denied" | "failed"
  readonly output: string
}

/** The calls of one model answer that have results, in call order. */
export type Round = readonly Settled[]

export interface CutOff {
  readonly text: string
  readonly reasoning: string
}

export function textOf(message: LanguageModelV4Message): string {
  if (message.role === "system") return message.content
  return message.content
    .flatMap((part) => (part.type === "text" && !isEnvironment(part.text) ? [part.text] : []))
    .join("")
}

function isEnvironment(text: string): boolean {
  return text.startsWith(environmentTag)
}

export function hasCalls(message: LanguageModelV4Message): boolean {
  return message.role === "assistant" && message.content.some((part) => part.type === "tool-call")
}

/** A prompt that ends with an answer without calls asks for the rest of that answer. */
export function cutOff(prompt: LanguageModelV4Prompt): CutOff | undefined {
  const last = prompt.at(-1)
  if (last?.role !== "assistant" || hasCalls(last)) return undefined
  const reasoning = last.content.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("")
  return { text: textOf(last), reasoning }
}

export function withoutCutOff(prompt: LanguageModelV4Prompt): readonly LanguageModelV4Message[] {
  return cutOff(prompt) === undefined ? prompt : prompt.slice(0, -1)
}

export function lastUserText(prompt: readonly LanguageModelV4Message[]): string {
  const last = prompt.findLast((message) => message.role === "user")
  return last === undefined ? "" : textOf(last)
}

export function roundsOf(messages: readonly LanguageModelV4Message[]): readonly Round[] {
  const results = new Map(messages.flatMap(resultsOf).map((result) => [result.toolCallId, result.output]))
  return messages.flatMap((message) => (message.role === "assistant" ? [roundOf(message, results)] : []))
}

export function resultsOf(message: LanguageModelV4Message): readonly LanguageModelV4ToolResultPart[] {
  if (message.role !== "tool" && message.role !== "assistant") return []
  return message.content.flatMap((part) => (part.type === "tool-result" ? [part] : []))
}

export function outputText(output: LanguageModelV4ToolResultOutput): string {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value
    case "json":
    case "error-json":
      return JSON.stringify(output.value, undefined, 2)
    case "execution-denied":
      return output.reason ?? "denied"
    case "content":
      return output.value.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
  }
}

function roundOf(
  message: LanguageModelV4Message & { role: "assistant" },
  results: ReadonlyMap<string, LanguageModelV4ToolResultOutput>,
): Round {
  return message.content.flatMap((part) => {
    if (part.type !== "tool-call") return []
    const output = results.get(part.toolCallId)
    if (output === undefined) return []
    const text = outputText(output)
    return [{ tool: part.toolName, input: part.input, status: statusOf(output, text), output: text }]
  })
}

function statusOf(output: LanguageModelV4ToolResultOutput, text: string): Settled["status"] {
  if (output.type === "execution-denied") return "denied"
  if (output.type !== "error-text" && output.type !== "error-json") return "done"
  return failureOf(text)
}

export function failureOf(text: string): "denied" | "failed" {
  const denied =
    /\b(?:denied|denies|refused|declined|rejected|forbidden|approval|not (?:allowed|permitted|approved))\b/i
  return denied.test(text) ? "denied" : "failed"
}

/** The answers of the model. A summary states how many it replaces, so that the count continues after a compaction. */
export function modelCalls(messages: readonly LanguageModelV4Message[]): number {
  const texts = messages.filter((message) => message.role !== "assistant").map(textOf)
  const counted = texts.flatMap((text) => [...text.matchAll(/^Model calls so far: (\d+)\.$/gm)])
  const before = Number(counted.at(-1)?.[1] ?? 0)
  return before + messages.filter(isAnswer).length
}

/** A compaction splits an answer that is too long for one request. */
function isAnswer(message: LanguageModelV4Message): boolean {
  return message.role === "assistant" && message.content.length > 0 && !textOf(message).startsWith("[continued] ")
}
