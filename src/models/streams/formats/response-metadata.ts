// What a provider says about its answer before the content.
import type { Part } from "./event-mapper.ts"

type Text = string | null | undefined

/** `created` in seconds. */
export function responseMetadata(id: Text, model: Text, created?: number): Part {
  return {
    type: "response-metadata",
    ...(typeof id === "string" ? { id } : {}),
    ...(typeof model === "string" ? { modelId: model } : {}),
    ...(created === undefined ? {} : { timestamp: new Date(created * 1000) }),
  }
}
