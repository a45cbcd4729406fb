// One answer of a vote, read to its end before it is shown: its key, which is the same for equal answers, and why it should
// not count. An answer that corrects itself, is long or is cut off is likely to be wrong.
import { tryParseJson } from "../../../contract/json-object.ts"
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import type { FinishPart } from "../../../models/usage.ts"
import { canonical } from "../../../contract/canonical-json.ts"

export interface Sample {
  /** Everything but the finish, in order. */
  readonly parts: readonly LanguageModelV4StreamPart[]
  readonly finish: FinishPart
}

type CallPart = Extract<LanguageModelV4StreamPart, { type: "tool-call" }>

export const DEFAULT_MAX_TOKENS = 750
const charactersPerToken = 4
/** Phrases of models that correct themselves in the middle of an answer. */
const SECOND_THOUGHTS =
  /(?:^|[\s"'(])(?:Wait,|Actually,|Hmm,|Oops|On second thought|Let me reconsider|I made a mistake)/

export async function readSample(stream: AsyncIterable<LanguageModelV4StreamPart>): Promise<Sample> {
  const parts: LanguageModelV4StreamPart[] = []
  for await (const part of stream) {
    if (part.type === "finish") return { parts, finish: part }
    parts.push(part)
  }
  throw new Error("an answer ended without a finish")
}

/** Two answers with the same key are votes for the same thing. */
export function ballotKey(sample: Sample): string {
  const calls = callsIn(sample).map(({ toolName, input }) => [toolName, tryParseJson(input) ?? input])
  if (calls.length > 0) return canonical(["calls", calls])
  const text = textIn(sample).trim()
  const value = tryParseJson(withoutFence(text))
  return value === undefined ? `text ${text.replaceAll(/\s+/g, " ")}` : `json ${canonical(value)}`
}

/** Why the answer does not count, in a few words. */
export function redFlag(sample: Sample, maxTokens = DEFAULT_MAX_TOKENS): string | undefined {
  const text = textIn(sample)
  const calls = callsIn(sample)
  if (sample.finish.finishReason.unified === "length") return "it was cut off"
  if (calls.length === 0 && text.trim() === "") return "it is empty"
  if (calls.some(({ input }) => tryParseJson(input === "" ? "{}" : input) === undefined))
    return "its call cannot be read"
  if (text.length > maxTokens * charactersPerToken) return "it is too long"
  return SECOND_THOUGHTS.test(text) ? "it corrects itself" : undefined
}

function callsIn({ parts }: Sample): readonly CallPart[] {
  return parts.filter((part) => part.type === "tool-call")
}

function textIn({ parts }: Sample): string {
  return parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("")
}

/** Models often put JSON in a code fence. */
function withoutFence(text: string): string {
  return /^```(?:json)?\n([\s\S]*)\n```$/.exec(text)?.[1] ?? text
}
