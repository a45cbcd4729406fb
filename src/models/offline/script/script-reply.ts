// Selects the step of a script that answers a prompt: the number of answers in the prompt, so that a script continues
// after a restart. An answer that was cut off is continued in its own step. Only retries with the same prompt are
// counted in memory, by the Attempts.
import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4 } from "@ai-sdk/provider"
import { ModelUnavailable } from "../../model-source.ts"
import { summarise, conversationToSummarise } from "../demo/summary.ts"
import { modelCalls, lastUserText, outputText, resultsOf, withoutCutOff } from "../prompt.ts"
import { type Expectation, type Part, attemptsOf, type Script, type Step } from "../part.ts"
import { hash } from "node:crypto"
import { playingModel } from "../playing-model.ts"

/** `name` is used in error messages. */
export function scriptReply(
  script: Script,
  name: string,
  options: LanguageModelV4CallOptions,
  attempts: Attempts,
): readonly Part[] {
  const prompt = withoutCutOff(options.prompt)
  const finished = conversationToSummarise(prompt, options)
  if (finished !== undefined) return [{ text: summary(script, finished) }]
  const index = modelCalls(prompt)
  const step = script.steps[index]
  if (step === undefined) return [{ text: exhausted(script, name, index) }]
  const variants = attemptsOf(step)
  const attempt = variants.length > 1 ? attempts.count(`${name}\n${index}\n${JSON.stringify(options.prompt)}`) : 0
  const parts = variants[Math.min(attempt, variants.length - 1)] ?? []
  checkExpectations(parts, prompt, `${name}, step ${index + 1}`)
  return parts
}

function summary(script: Script, conversation: readonly LanguageModelV4Message[]): string {
  if (script.summary === undefined) return summarise(conversation)
  return `${script.summary}\nModel calls so far: ${modelCalls(conversation)}.`
}

function exhausted({ steps }: Script, name: string, index: number): string {
  const count = steps.length === 1 ? "1 step" : `${steps.length} steps`
  return `The script is exhausted: ${name} has ${count} and this is model call ${index + 1}.`
}

function checkExpectations(parts: readonly Part[], prompt: readonly LanguageModelV4Message[], where: string): void {
  for (const part of parts) {
    const problem = "expect" in part ? mismatch(part.expect, prompt) : undefined
    if (problem !== undefined) throw new ModelUnavailable(`${where}: ${problem}`)
  }
}

function mismatch(expected: Expectation, prompt: readonly LanguageModelV4Message[]): string | undefined {
  const userText = lastUserText(prompt)
  if (expected.lastUserText !== undefined && !userText.includes(expected.lastUserText)) {
    return `expected a last user text with ${JSON.stringify(expected.lastUserText)}, but it is ${clip(userText)}.`
  }
  const sinceAnswer = prompt.slice(prompt.findLastIndex((message) => message.role === "assistant"))
  const outputs = sinceAnswer.flatMap(resultsOf).map((result) => outputText(result.output))
  const expectedResult = expected.toolResult
  if (expectedResult === undefined || outputs.some((output) => output.includes(expectedResult))) return undefined
  const found = outputs.length === 0 ? "there is none" : `found ${outputs.map(clip).join(" and ")}`
  return `expected a tool result with ${JSON.stringify(expectedResult)}, but ${found}.`
}

function clip(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 199)}…` : text)
}

const MAX_PROMPTS = 1000

/** Counts calls with the same prompt. Bounded: beyond the limit the oldest prompt starts again at its first attempt. */
export class Attempts {
  readonly #seen = new Map<string, number>()

  /** How many times it was counted before. */
  count(prompt: string): number {
    const key = hash("sha256", prompt)
    const before = this.#seen.get(key) ?? 0
    this.#seen.delete(key)
    this.#seen.set(key, before + 1)
    const oldest = this.#seen.size > MAX_PROMPTS ? this.#seen.keys().next().value : undefined
    if (oldest !== undefined) this.#seen.delete(oldest)
    return before
  }
}

export interface ScriptedModel extends LanguageModelV4 {
  /** Every call so far, oldest first. */
  readonly calls: readonly LanguageModelV4CallOptions[]
}

/** A script in memory, for tests: its parts may be gates, and its calls are recorded. No delay per word by default. */
export function scriptedModel(script: readonly Step[] | Script): ScriptedModel {
  const whole: Script = "steps" in script ? script : { steps: script }
  const calls: LanguageModelV4CallOptions[] = []
  const attempts = new Attempts()
  const model = playingModel("scripted", async (options) => {
    calls.push(options)
    return { delayMs: whole.delayMs ?? 0, parts: scriptReply(whole, "The script", options, attempts) }
  })
  return { ...model, calls }
}
