// Results and stream events of an extension's models. Nothing here throws. A block of an unknown type is left out; an
// invalid block of a known type invalidates the whole result, since the missing part could be the one that matters.
import { isJsonObject } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import { firstFault } from "./codec.ts"
import type { ProviderBlock, ProviderStreamEvent } from "./frames.ts"
import { checks } from "./generated/frames.js"

export interface ProviderAnswer {
  readonly blocks: readonly ProviderBlock[]
  readonly stopReason: string | undefined
  readonly usage: JsonValue
}

export type ReadAnswer =
  | { readonly kind: "answer"; readonly answer: ProviderAnswer }
  | { readonly kind: "invalid"; readonly what: string }

const knownTypes: ReadonlySet<JsonValue | undefined> = new Set([
  "text",
  "thinking",
  "tool_use",
] satisfies ProviderBlock["type"][])

export function readProviderResult(result: JsonValue): ReadAnswer {
  if (!checks["provider.result"](result)) return invalid(firstFault(checks["provider.result"].errors))
  const { content, stop_reason, usage = null } = result
  const blocks: ProviderBlock[] = []
  for (const block of content.filter(({ type }) => knownTypes.has(type))) {
    if (!checks["provider.block"](block))
      return invalid(`a block of the type ${JSON.stringify(block["type"])} is incomplete`)
    blocks.push(block)
  }
  return { kind: "answer", answer: { blocks, stopReason: stop_reason ?? undefined, usage } }
}

/** Undefined for anything else. */
export function readStreamEvent(params: JsonValue): ProviderStreamEvent | undefined {
  const event = isJsonObject(params) ? (params["event"] ?? params) : null
  if (!checks["provider.stream.event"](event)) return undefined
  const isEmpty = (event.type === "text" || event.type === "thinking") && deltaText(event) === undefined
  return isEmpty ? undefined : event
}

/** Both names are in use. */
export function deltaText(event: Extract<ProviderStreamEvent, { type: "text" | "thinking" }>): string | undefined {
  return event.delta ?? event.text
}

function invalid(what: string): ReadAnswer {
  return { kind: "invalid", what }
}
