// The demo's reply to a prompt. Everything is decided from the prompt alone: the messages since the last whole answer
// are taken apart, the calls already made for them are matched with their results, and what is still to do comes out.
// So the same prompt gets the same reply in any process, and a turn goes on wherever it was broken off.
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider"
import type { Part } from "../part.ts"
import { hasCalls, roundsOf, textOf, withoutCutOff } from "../prompt.ts"
import { conversationToSummarise } from "../summary-request.ts"
import { answerFromDocuments } from "./documents.ts"
import { callInWords, type OfferedTool } from "./offered-tool.ts"
import { type Asked, progress } from "./progress.ts"
import type { Stage } from "./request.ts"
import { introduction, reminder } from "./sentences.ts"
import { summarise } from "./summary.ts"
import { understand } from "./understand.ts"

export function demoReply(options: LanguageModelV4CallOptions): readonly Part[] {
  const prompt = withoutCutOff(options.prompt)
  const finished = conversationToSummarise(prompt, options)
  if (finished !== undefined) return [{ text: summarise(finished) }]
  const open = sinceLastAnswer(prompt)
  const next = progress(askedIn(open, offeredTools(options)), roundsOf(open), offered(options))
  if (next.kind === "calls") {
    const thoughts = next.calls.map((call) => call.thought).join(" ")
    const calls = next.calls.map(({ tool, input }) => ({ call: { tool, input } }))
    return options.reasoning === "none" ? calls : [{ reasoning: thoughts }, ...calls]
  }
  const fromDocuments = next.understood ? undefined : answerFromDocuments(open)
  const text = fromDocuments ?? next.text
  if (!spokeBefore(prompt)) return [{ text: `${introduction}\n\n${text}` }]
  return [{ text: next.understood || fromDocuments !== undefined ? text : `${text} ${reminder}` }]
}

/** Text beside calls is not an answer yet; text that a person interrupted closes what was asked. */
function sinceLastAnswer(prompt: readonly LanguageModelV4Message[]): readonly LanguageModelV4Message[] {
  const answered = prompt.findLastIndex(
    (message) => message.role === "assistant" && !hasCalls(message) && textOf(message) !== "",
  )
  return prompt.slice(answered + 1)
}

/**
 * What the messages ask for. Words slipped in while the demo works come after what it works on. All but the newest
 * message must be plain requests.
 */
function askedIn(messages: readonly LanguageModelV4Message[], tools: readonly OfferedTool[]): readonly Asked[] {
  const said = messages.flatMap((message, place) => (message.role === "user" ? [{ text: textOf(message), place }] : []))
  const asked = said.map(({ text }, index): Asked => {
    const roundsBefore = roundsOf(messages.slice(0, said[index + 1]?.place)).length
    return { stages: stagesOf(text, tools), isNewest: index === said.length - 1, roundsBefore }
  })
  if (asked.length === 0) return [{ stages: [[{ kind: "nothing" }]], isNewest: true, roundsBefore: 0 }]
  return asked.filter(({ stages, isNewest }) => isNewest || stages.flat().every(isRequest))
}

function stagesOf(text: string, tools: readonly OfferedTool[]): readonly Stage[] {
  const own = text.replace(/<untrusted\b[\s\S]*(?:<\/untrusted>|$)/i, "") // to the last end, which nothing inside can fake
  const isGiven =
    text.startsWith("<untrusted") || /^(?:Summary of the conversation so far|A plan was made meanwhile):\n/.test(text)
  if (isGiven) return [[{ kind: "nothing" }]]
  const stages = understand(own)
  const call = stages.flat().every(({ kind }) => kind === "unknown") ? callInWords(own, tools) : undefined
  return call === undefined ? stages : [[call]]
}

function isRequest({ kind }: Stage[number]): boolean {
  return !["unknown", "help", "nothing"].includes(kind)
}

function spokeBefore(prompt: readonly LanguageModelV4Message[]): boolean {
  return prompt.some((message) => message.role === "assistant" && textOf(message) !== "")
}

function offered({ tools = [], toolChoice }: LanguageModelV4CallOptions): ReadonlySet<string> {
  return new Set(toolChoice?.type === "none" ? [] : tools.map((tool) => tool.name))
}

function offeredTools({ tools = [] }: LanguageModelV4CallOptions): readonly OfferedTool[] {
  return tools.flatMap((tool) => (tool.type === "function" ? tool : []))
}
