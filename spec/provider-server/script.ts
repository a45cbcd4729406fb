// The script of the provider server. Plain JSON, so that a script can be a file. Answers are described independently of
// a provider; wires/ encodes them in each provider's frames.
import type { JsonValue } from "../../src/contract/values.ts"

export interface ProviderScript {
  /** A request takes the first reply that is left and fits it. When none is left it gets a 500 that says so. */
  readonly replies: readonly Reply[]
  /** What `GET …/models` lists. */
  readonly models?: readonly ListedModel[]
  /** If given, requests with any other key are refused with 401. */
  readonly keys?: readonly string[]
  /** The list of models is refused to other keys too, as vendors do. */
  readonly keysForList?: true
}

/** vLLM adds how much the model takes. */
export type ListedModel = string | { readonly id: string; readonly max_model_len: number }

export type Reply = (Answer | Refused | Hanging) & {
  /** Only for requests whose body contains this text. */
  readonly when?: string
  /** How many requests it serves; one unless told. */
  readonly times?: number | "always"
}

export interface Answer {
  readonly blocks: readonly Block[]
  /** `tool-calls` if there is a tool block, else `stop`, unless told. */
  readonly finish?: "stop" | "length" | "tool-calls" | "content-filter"
  readonly usage?: ScriptedUsage
  /** After the blocks: the proper end, a destroyed socket, an end without a finish, silence, an error in the stream. */
  readonly end?: "finish" | "cut" | "eof" | "hang" | "overloaded"
  /** How long the headers take. */
  readonly firstByteAfterMs?: number
  readonly betweenMs?: number
}

export type Block =
  | { readonly text: string }
  | { readonly thinking: string; readonly signature?: string }
  /** `raw` is sent as it is, for JSON that is no JSON. */
  | { readonly tool: string; readonly id?: string; readonly input?: JsonValue; readonly raw?: string }

/** `input` counts everything, cache reads and writes included. */
export interface ScriptedUsage {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite5m?: number
  readonly cacheWrite1h?: number
  readonly reasoning?: number
}

export interface Refused {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly error?: { readonly type?: string; readonly code?: string; readonly message?: string }
}

/** The request is read and never answered. */
export interface Hanging {
  readonly hang: true
}

export const defaultUsage: Required<ScriptedUsage> = {
  input: 12,
  output: 5,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  reasoning: 0,
}

export function usageIn(answer: Answer): Required<ScriptedUsage> {
  return { ...defaultUsage, ...answer.usage }
}

export function finishIn(answer: Answer): NonNullable<Answer["finish"]> {
  return answer.finish ?? (answer.blocks.some((block) => "tool" in block) ? "tool-calls" : "stop")
}

/** Text arrives in pieces, and never where a word ends nicely. */
export function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,7}/g) ?? []
}

export function toolJson(block: Extract<Block, { tool: string }>): string {
  return block.raw ?? JSON.stringify(block.input ?? {})
}
