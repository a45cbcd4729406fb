// What an extension answers when one of its models is asked, and what it says while the model speaks. Nothing here
// throws. A block of a type that nobody knows is left out; one of a known type that is not what it must be makes the
// whole answer nonsense: half of it could be the half that matters.
import type { JsonValue } from "../../contract/values.ts"
import { firstFault } from "./first-fault.ts"
import type { ProviderBlock, ProviderStreamEvent } from "./frames.ts"
import { checks } from "./generated/frames.js"
import { isObject } from "./receive.ts"

export interface ProviderAnswer {
  readonly blocks: readonly ProviderBlock[]
  readonly stopReason: string | undefined
  readonly usage: JsonValue
}

export type ReadAnswer =
  | { readonly kind: "answer"; readonly answer: ProviderAnswer }
  | { readonly kind: "nonsense"; readonly what: string }

const known: ReadonlySet<JsonValue | undefined> = new Set([
  "text",
  "thinking",
  "tool_use",
] satisfies ProviderBlock["type"][])

export function readProviderResult(result: JsonValue): ReadAnswer {
  if (!checks["provider.result"](result)) return nonsense(firstFault(checks["provider.result"].errors))
  const { content, stop_reason, usage = null } = result
  const blocks: ProviderBlock[] = []
  for (const block of content.filter(({ type }) => known.has(type))) {
    if (!checks["provider.block"](block))
      return nonsense(`a block of the type ${JSON.stringify(block["type"])} is not complete`)
    blocks.push(block)
  }
  return { kind: "answer", answer: { blocks, stopReason: stop_reason ?? undefined, usage } }
}

/** Nothing where it is none. */
export function readStreamEvent(params: JsonValue): ProviderStreamEvent | undefined {
  const event = isObject(params) ? (params["event"] ?? params) : null
  if (!checks["provider.stream.event"](event)) return undefined
  const isEmpty = (event.type === "text" || event.type === "thinking") && spoken(event) === undefined
  return isEmpty ? undefined : event
}

/** Both names are in use. */
export function spoken(event: Extract<ProviderStreamEvent, { type: "text" | "thinking" }>): string | undefined {
  return event.delta ?? event.text
}

function nonsense(what: string): ReadAnswer {
  return { kind: "nonsense", what }
}
