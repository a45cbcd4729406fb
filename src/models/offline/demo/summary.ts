// A summary of the conversation in the prompt: requests, files, commands and the last answer. Bounded in length.
import type { LanguageModelV4Message, LanguageModelV4CallOptions } from "@ai-sdk/provider"
import { failureOf, roundsOf, type Settled, textOf, modelCalls } from "../prompt.ts"

/** First line of a summary that replaces earlier messages in a prompt. */
const heading = "Summary of the conversation so far:"
const MAX_REQUESTS = 12
const MAX_NAMES = 20
const MAX_LINE_LENGTH = 160
const MAX_TEXT_LENGTH = 600

/** `messages` are the conversation alone, without the message that asks for its summary. */
export function summarise(messages: readonly LanguageModelV4Message[]): string {
  const calls = [...roundsOf(messages).flat(), ...messages.flatMap(writtenCalls)]
  const lines = [
    earlier(messages),
    requests(messages),
    listed("Files read", calls, ["read"], "path"),
    listed("Files changed", calls, ["write", "edit"], "path"),
    listed("Searched for", calls, ["grep", "find"], "pattern"),
    listed("Commands run", calls, ["bash"], "command"),
    lastAnswer(messages),
    `Model calls so far: ${modelCalls(messages)}.`,
  ]
  return lines.filter((line) => line !== "").join("\n")
}

/** The previous summary, shortened. */
function earlier(messages: readonly LanguageModelV4Message[]): string {
  const texts = messages.filter((message) => message.role !== "assistant").map(textOf)
  const summary = texts.findLast((text) => text.includes(heading))
  if (summary === undefined) return ""
  const body = summary.slice(summary.indexOf(heading) + heading.length)
  return `Before that: ${clip(body.replaceAll(/^Model calls so far:.*$/gm, ""), MAX_TEXT_LENGTH)}`
}

function requests(messages: readonly LanguageModelV4Message[]): string {
  const userRequests = messages
    .filter((message) => message.role === "user")
    .map(textOf)
    .filter((text) => text.trim() !== "" && !text.includes(heading))
  if (userRequests.length === 0) return ""
  const shown =
    userRequests.length > MAX_REQUESTS ? [userRequests[0] ?? "", ...userRequests.slice(1 - MAX_REQUESTS)] : userRequests
  const note =
    shown.length < userRequests.length ? ` (the first and the last ${MAX_REQUESTS - 1} of ${userRequests.length})` : ""
  return [`The user asked${note}:`, ...shown.map((text) => `- ${clip(text, MAX_LINE_LENGTH)}`)].join("\n")
}

function listed(title: string, calls: readonly Settled[], tools: readonly string[], member: string): string {
  const names = new Set(
    calls.filter((settled) => tools.includes(settled.tool)).map((settled) => named(settled, member)),
  )
  if (names.size === 0) return ""
  const more = names.size > MAX_NAMES ? ` and ${names.size - MAX_NAMES} more` : ""
  return `${title}: ${[...names].slice(-MAX_NAMES).join("; ")}${more}.`
}

function named({ input, status }: Settled, member: string): string {
  const value = Object.entries(typeof input === "object" && input !== null ? input : {}).find(([key]) => key === member)
  const name = clip(String(value?.[1] ?? "?"), MAX_LINE_LENGTH)
  return status === "done" ? name : `${name} (${status})`
}

function lastAnswer(messages: readonly LanguageModelV4Message[]): string {
  const text = messages
    .filter((message) => message.role === "assistant")
    .map(textWithoutCalls)
    .findLast((answer) => answer !== "")
  return text === undefined ? "" : `Last answer: ${clip(text, MAX_TEXT_LENGTH)}`
}

/** A compaction writes calls as text, each followed by a line with its result. */
function writtenCalls(message: LanguageModelV4Message): readonly Settled[] {
  if (message.role !== "assistant") return []
  const lines = textOf(message).split("\n")
  return lines.flatMap((line, at): readonly Settled[] => {
    const [, tool, input] = /^\[tool call\] (\S+) (\{.*\})$/.exec(line) ?? []
    const [, status, output = ""] = /^\[(done|failed)\] (.*)$/.exec(lines[at + 1] ?? "") ?? []
    if (tool === undefined || input === undefined || status === undefined) return []
    return [{ tool, input: parsed(input), status: status === "done" ? "done" : failureOf(output), output }]
  })
}

/** A line of tool output may look like a call. */
function parsed(input: string): unknown {
  try {
    return JSON.parse(input)
  } catch {
    return undefined
  }
}

/** Without the calls that a compaction appends. */
function textWithoutCalls(message: LanguageModelV4Message): string {
  const text = textOf(message)
  const call = text.search(/^\[tool call\] /m)
  return (call < 0 ? text : text.slice(0, call)).trim()
}

function clip(text: string, length: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim()
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}

const explicitRequest =
  /(?:^|[.!?:\n]\s*|\bplease |\b(?:can|could) you )(?:now )?(?:summari[sz]e|(?:write|create|give|make|produce|provide)(?: me| us)? (?:an? |the )?(?:\w+,? ){0,4}summary of)\b[^.\n]{0,80}\b(?:conversation|session|discussion|chat|history|dialogue|so far)\b/i
const looseRequest = /\bsummar(?:y|i[sz]e|i[sz]ing)\b/i
const subject = /\b(?:conversation|session|discussion|chat|history|dialogue|messages|transcript|so far|above)\b/i
/** Characters searched at each end of a message. */
const SEARCHED_LENGTH = 1000

/** The conversation to summarise, or undefined if no summary is requested. */
export function conversationToSummarise(
  prompt: readonly LanguageModelV4Message[],
  { tools = [] }: Pick<LanguageModelV4CallOptions, "tools">,
): readonly LanguageModelV4Message[] | undefined {
  const conversation = prompt.filter((message) => message.role !== "system")
  const newest = conversation.at(-1)
  if (
    newest?.role === "user" &&
    (tools.length === 0 ? matchesLooseRequest : matchesExplicitRequest)(ends(textOf(newest)))
  ) {
    return conversation.length === 1 ? conversation : conversation.slice(0, -1)
  }
  const instructed = prompt.some(
    (message) => message.role === "system" && matchesExplicitRequest(ends(message.content)),
  )
  return tools.length === 0 && instructed ? conversation : undefined
}

function matchesExplicitRequest(text: string): boolean {
  return explicitRequest.test(text)
}

function matchesLooseRequest(text: string): boolean {
  return looseRequest.test(text) && subject.test(text)
}

function ends(text: string): string {
  return text.length <= 2 * SEARCHED_LENGTH
    ? text
    : `${text.slice(0, SEARCHED_LENGTH)}\n${text.slice(-SEARCHED_LENGTH)}`
}
