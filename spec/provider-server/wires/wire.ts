// The interface of one provider's streaming format.
import type { JsonValue } from "../../../src/contract/values.ts"
import type { Answer, Refused } from "../script.ts"

export type Frame = string | Uint8Array

export interface WireRequest {
  readonly model: string
  readonly body: Readonly<Record<string, unknown>>
}

export interface Wire {
  readonly contentType: string
  /** Everything up to the last block; the last block is closed only by `finish`. */
  readonly encodeAnswer: (answer: Answer, request: WireRequest) => readonly Frame[]
  readonly finish: (answer: Answer, request: WireRequest) => readonly Frame[]
  /** An error in a stream that began with 200. */
  readonly overloaded: () => readonly Frame[]
  readonly refuse: (refused: Refused) => JsonValue
}

export function sse(data: JsonValue, event?: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`
}
