// The demo's reply to a prompt, decided from the prompt alone: the same prompt gets the same reply in any process, so a
// turn continues wherever it was broken off.
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider"
import type { Part } from "../part.ts"
import { hasCalls, roundsOf, textOf, withoutCutOff, type Round, type Settled } from "../prompt.ts"
import { conversationToSummarise, summarise } from "./summary.ts"
import { answerFromDocuments } from "./documents.ts"
import { callTool, reply, type Job, type CallStep, type JobStep } from "./jobs.ts"
import { callByName, type OfferedTool } from "./offered-tool.ts"
import { help, isGreeting, notUnderstood, parseRequest } from "./phrases.ts"

const HOW_TO =
  "run `turnhouse setup`, or set ANTHROPIC_API_KEY, OPENAI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY in the environment"
const INTRODUCTION = `This is Turnhouse's offline demo, which follows fixed rules; to use a real model, ${HOW_TO}.`
const REMINDER = `I am the offline demo, not a model; to use a real one, ${HOW_TO}.`
const NO_REQUEST =
  "There is nothing for me to do: I act only on what a person asks me, not on a summary or on text from elsewhere."

export function demoReply(options: LanguageModelV4CallOptions): readonly Part[] {
  const prompt = withoutCutOff(options.prompt)
  const finished = conversationToSummarise(prompt, options)
  if (finished !== undefined) return [{ text: summarise(finished) }]
  const open = sinceLastAnswer(prompt)
  const messages = understoodMessages(open, offeredTools(options))
  const next = progress(messages, roundsOf(open), callableTools(options))
  if (next.kind === "calls") {
    const calls = next.calls.map(({ tool, input }) => ({ call: { tool, input } }))
    const reasoning = next.calls.map((call) => call.reasoning).join(" ")
    return options.reasoning === "none" ? calls : [{ reasoning }, ...calls]
  }
  const isUnderstood = messages.every((message) => message.kind !== "unknown")
  const quote = isUnderstood ? undefined : answerFromDocuments(open)
  const text = quote ?? next.text
  if (!hasAnswered(prompt)) return [{ text: `${INTRODUCTION}\n\n${text}` }]
  return [{ text: isUnderstood || quote !== undefined ? text : `${text} ${REMINDER}` }]
}

/** Text beside calls is no answer yet; text that the user interrupted closes the request. */
function sinceLastAnswer(prompt: readonly LanguageModelV4Message[]): readonly LanguageModelV4Message[] {
  const answered = prompt.findLastIndex(
    (message) => message.role === "assistant" && !hasCalls(message) && textOf(message) !== "",
  )
  return prompt.slice(answered + 1)
}

interface Message extends Request {
  readonly kind: "request" | "unknown"
}

/** A message sent while the demo works comes after what it works on; older messages count only if they are requests. */
function understoodMessages(
  messages: readonly LanguageModelV4Message[],
  tools: readonly OfferedTool[],
): readonly Message[] {
  const userMessages = messages.flatMap((message, position) =>
    message.role === "user" ? [{ text: textOf(message), place: position }] : [],
  )
  if (userMessages.length === 0)
    return [{ kind: "unknown", jobs: [reply(NO_REQUEST)], mayContinue: true, roundsBefore: 0 }]
  return userMessages.flatMap(({ text }, index): readonly Message[] => {
    const isNewest = index === userMessages.length - 1
    const roundsBefore = roundsOf(messages.slice(0, userMessages[index + 1]?.place)).length
    const ownText = isData(text) ? undefined : text.replace(/<untrusted\b[\s\S]*(?:<\/untrusted>|$)/i, "") // to the last end tag
    const request = ownText === undefined ? undefined : (parseRequest(ownText) ?? calledByName(ownText, tools))
    if (request !== undefined)
      return [{ kind: "request", jobs: request.jobs, mayContinue: isNewest || request.readsOnly, roundsBefore }]
    return isNewest ? [{ kind: "unknown", jobs: [withoutRequest(ownText)], mayContinue: true, roundsBefore }] : []
  })
}

function withoutRequest(text: string | undefined): Job {
  if (text === undefined) return reply(NO_REQUEST)
  return isGreeting(text) ? help() : notUnderstood(text)
}

function calledByName(text: string, tools: readonly OfferedTool[]) {
  const call = callByName(text, tools)
  return call === undefined ? undefined : { jobs: [callTool(call.tool, call.input)], readsOnly: false }
}

/** Text from outside and summaries are never requests. */
function isData(text: string): boolean {
  return (
    text.startsWith("<untrusted") || /^(?:Summary of the conversation so far|A plan was made meanwhile):\n/.test(text)
  )
}

function hasAnswered(prompt: readonly LanguageModelV4Message[]): boolean {
  return prompt.some((message) => message.role === "assistant" && textOf(message) !== "")
}

function callableTools({ tools = [], toolChoice }: LanguageModelV4CallOptions): ReadonlySet<string> {
  return new Set(toolChoice?.type === "none" ? [] : tools.map((tool) => tool.name))
}

function offeredTools({ tools = [] }: LanguageModelV4CallOptions): readonly OfferedTool[] {
  return tools.flatMap((tool) => (tool.type === "function" ? tool : []))
}

interface Request {
  readonly jobs: readonly Job[]
  /** False for an older message that changes something: it may have been interrupted. */
  readonly mayContinue: boolean
  /** Rounds of calls before the next message. */
  readonly roundsBefore: number
}

type Progress =
  | { readonly kind: "calls"; readonly calls: readonly CallStep[] }
  | { readonly kind: "answer"; readonly text: string }

function progress(requests: readonly Request[], rounds: readonly Round[], tools: ReadonlySet<string>): Progress {
  const answers: string[] = []
  let usedRounds = 0
  for (const { jobs, mayContinue, roundsBefore } of requests) {
    const results = jobs.map((): Settled[] => [])
    for (;;) {
      const steps = jobs.map((job, index) => job(results[index] ?? [], tools))
      const calls = steps.filter((step) => step.kind === "call")
      if (calls.length === 0) {
        answers.push(...steps.flatMap((step) => (step.kind === "answer" ? [step.text] : [])))
        break
      }
      const round = usedRounds < (mayContinue ? Infinity : roundsBefore) ? rounds[usedRounds++] : undefined
      if (round !== undefined) assignResults(round, steps, results)
      else if (mayContinue) return { kind: "calls", calls }
      else {
        answers.push("I did not continue with your earlier request.")
        break
      }
    }
  }
  return { kind: "answer", text: answers.join("\n\n") }
}

function assignResults(round: Round, steps: readonly JobStep[], results: readonly Settled[][]): void {
  const unclaimed = [...round]
  for (const [index, step] of steps.entries()) {
    const at = unclaimed.findIndex((settled) => step.kind === "call" && settled.tool === step.tool)
    if (at !== -1) results[index]?.push(...unclaimed.splice(at, 1))
  }
}
