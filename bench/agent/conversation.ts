// Reads a request in Anthropic's format: what the model gets, and the results of each of its earlier answers.
import { isObject } from "../../src/contract/json-object.ts"
import type { RequestText, Result } from "./task.ts"

export interface Conversation extends RequestText {
  /** One entry for each answer in the request, with the results of its calls. */
  readonly rounds: readonly (readonly Result[])[]
}

export function conversationIn(body: Readonly<Record<string, unknown>>): Conversation {
  const messages = listIn(body, "messages")
  const rounds: Result[][] = []
  let isAnswer = false
  for (const message of messages) {
    // An answer that was continued may be sent as two messages; it is one answer.
    if (message["role"] === "assistant" && !isAnswer) rounds.push([])
    isAnswer = message["role"] === "assistant"
    if (!isAnswer) rounds.at(-1)?.push(...blocksOf(message).filter(isToolResult).map(resultOf))
  }
  return {
    system: textOf(body["system"]),
    prompt: messages
      .filter((message) => message["role"] === "user")
      .map((message) => textOf(message["content"]))
      .join("\n"),
    tools: listIn(body, "tools").map((tool) => String(tool["name"])),
    rounds,
  }
}

type Fields = Readonly<Record<string, unknown>>

function listIn(body: Fields, name: string): Fields[] {
  const list = body[name]
  return Array.isArray(list) ? list.filter(isObject) : []
}

function blocksOf(message: Fields): Fields[] {
  return listIn(message, "content")
}

function isToolResult(block: Fields): boolean {
  return block["type"] === "tool_result"
}

function resultOf(block: Fields): Result {
  const images = listIn(block, "content").filter((part) => part["type"] === "image")
  return { text: textOf(block["content"]), isError: block["is_error"] === true, images: images.map(bytesOf) }
}

function bytesOf(image: Fields): Uint8Array {
  const source = image["source"]
  return Buffer.from(isObject(source) ? String(source["data"]) : "", "base64")
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content
    .filter(isObject)
    .map((block) => (typeof block["text"] === "string" ? block["text"] : ""))
    .join("\n")
}
