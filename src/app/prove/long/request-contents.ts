// What a request to the provider has in it: the messages of a chat completion as the proof compares them.
import { isJsonObject, memberIn, textIn } from "../../../contract/json-object.ts"
import type { JsonValue } from "../../../contract/values.ts"
import { marksIn, type MarkRun } from "./marks.ts"

/** A part of a message, in the order of the request. */
export interface RequestPart {
  readonly kind: "user" | "text" | "reasoning" | "call" | "result"
  readonly marks: readonly MarkRun[]
  /** Of calls and results. */
  readonly callId?: string
  /** A note in place of a result. */
  readonly isAged?: boolean
  /** Background shells whose end is noted. */
  readonly shells?: readonly string[]
}

export interface RequestContents {
  readonly parts: readonly RequestPart[]
  /** What is wrong with the pairs of calls and results. */
  readonly misfit: string | undefined
}

const agedStart = "[Left out to save room: "
const shellNote = /\[Background shell (\S+) \([^\]]*\]/g

export function contentsOf(body: JsonValue | undefined): RequestContents {
  const messages = messagesOf(body)
  return { parts: messages.flatMap(partsOf), misfit: misfitOf(messages) }
}

/** The parts of a text in which calls and results are text, as in a request for a summary. */
export function textPart(text: string): RequestPart {
  const shells = [...text.matchAll(shellNote)].map(([, id = ""]) => id)
  return { kind: "user", marks: marksIn(text.replaceAll(shellNote, "")), shells }
}

export function messagesOf(body: JsonValue | undefined): readonly JsonValue[] {
  return listIn(body, "messages")
}

/** Of a message, whichever form it has. */
export function messageText(message: JsonValue | undefined): string {
  const content = memberIn(message, "content")
  if (typeof content === "string") return content
  return Array.isArray(content) ? content.map((part) => textIn(part, "text") ?? "").join("\n") : ""
}

function partsOf(message: JsonValue): readonly RequestPart[] {
  const text = messageText(message)
  switch (textIn(message, "role")) {
    case "user":
      return [textPart(text)]
    case "assistant":
      return [
        { kind: "reasoning", marks: marksIn(textIn(message, "reasoning_content") ?? "") },
        { kind: "text", marks: marksIn(text) },
        ...callsOf(message).map(callPart),
      ]
    case "tool":
      return [resultPart(message, text)]
    default:
      return []
  }
}

function callPart(call: JsonValue): RequestPart {
  const input = textIn(memberIn(call, "function"), "arguments") ?? ""
  return { kind: "call", marks: marksIn(input), callId: textIn(call, "id") ?? "" }
}

function resultPart(message: JsonValue, text: string): RequestPart {
  const isAged = text.startsWith(agedStart)
  return { kind: "result", marks: isAged ? [] : marksIn(text), callId: resultId(message), isAged }
}

function callsOf(message: JsonValue): readonly JsonValue[] {
  return listIn(message, "tool_calls")
}

function listIn(value: JsonValue | undefined, name: string): readonly JsonValue[] {
  const member = memberIn(value, name)
  return Array.isArray(member) ? member.filter((one) => isJsonObject(one)) : []
}

function resultId(message: JsonValue): string {
  return textIn(message, "tool_call_id") ?? ""
}

/** Each call is followed by its result at once, and each result belongs to a call before it: providers refuse anything else. */
function misfitOf(messages: readonly JsonValue[]): string | undefined {
  let open: readonly string[] = []
  for (const message of messages) {
    const isResult = textIn(message, "role") === "tool"
    const id = resultId(message)
    if (isResult && !open.includes(id)) return `the result of ${id} has no call before it, or is there twice`
    if (!isResult && open.length > 0) return `the call ${open[0]} has no result`
    open = isResult ? open.filter((one) => one !== id) : callsOf(message).map((call) => textIn(call, "id") ?? "")
  }
  return open.length === 0 ? undefined : `the call ${open[0]} has no result`
}
