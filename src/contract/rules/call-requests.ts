// Requests that a running call makes: to connect to a host, or for an MCP server that it uses. Only what made the request
// waits for the answer: the call is not held back and does not end with it.
import { oneLine } from "../text/text.ts"
import type { Connection, JsonValue, Question, ServerAsk, ServerPrompt } from "../values.ts"
import { networkTool } from "./network-rules.ts"
import { questionsText } from "./questions.ts"

export interface CallRequest {
  readonly connection?: Connection | undefined
  readonly server?: ServerAsk | undefined
}

/** The tool names of requests of MCP servers, after the methods of the protocol. */
export const elicitationTool = "elicitation"
export const samplingTool = "sampling"

const MAX_NAME_LENGTH = 60

export function isDuringCall({ connection, server }: CallRequest): boolean {
  return connection !== undefined || server !== undefined
}

/** Shown in place of the tool and the arguments of the call. Undefined where the request is about the call itself. */
export function requestSubject({ connection, server }: CallRequest): RequestSubject | undefined {
  if (connection !== undefined) return { tool: networkTool, input: connection }
  if (server === undefined) return undefined
  const { name, wants, prompt } = server
  if (wants === "answers") return { tool: elicitationTool, input: { server: name } }
  return { tool: samplingTool, input: { server: name, ...(prompt === undefined ? {} : promptFields(prompt)) } }
}

export interface RequestSubject {
  readonly tool: string
  readonly input: JsonValue
}

function promptFields({ system, messages, maxTokens }: ServerPrompt) {
  return { ...(system === undefined ? {} : { system }), messages, maxTokens }
}

/** `MCP server 'shop'`. */
export function serverName({ name }: Pick<ServerAsk, "name">): string {
  return `MCP server '${oneLine(name, MAX_NAME_LENGTH)}'`
}

interface AskedQuestions {
  readonly questions: readonly Question[]
  readonly reason: string
  readonly server?: ServerAsk | undefined
}

/** The questions of a request. Those of a server come after its name and what it says. */
export function askedText({ questions, reason, server }: AskedQuestions): string {
  return server === undefined ? questionsText(questions) : `${reason}\n${questionsText(questions)}`
}
