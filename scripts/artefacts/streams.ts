// Generated files of src/models/streams: the events of each format of answers.
import type { z } from "zod"
import { AnthropicEvent } from "../../src/models/streams/formats/anthropic-events.ts"
import { ChatChunk } from "../../src/models/streams/formats/chat-events.ts"
import { ResponsesEvent } from "../../src/models/streams/formats/responses-events.ts"
import { checkerModule, unionModule } from "./checkers.ts"
import { byTag, type Artefact } from "./schemas.ts"

const generated = "src/models/streams/formats/generated"

export function streamArtefacts(): Artefact[] {
  return [
    ...checkerModule(`${generated}/chat-events`, new Map<string, z.ZodType>([["chunk", ChatChunk]]), "yes-or-no", {
      types: chatTypes,
    }),
    ...unionModule(`${generated}/anthropic-events`, byTag(AnthropicEvent.options, "type"), "type", {
      check: "checkAnthropicEvent",
      types: ["AnthropicEvent"],
      from: "../anthropic-events.ts",
    }),
    ...unionModule(`${generated}/responses-events`, byTag(ResponsesEvent.options, "type"), "type", {
      check: "checkResponsesEvent",
      types: ["ResponsesEvent"],
      from: "../responses-events.ts",
    }),
  ]
}

const chatTypes = `import type { ChatChunk } from "../chat-events.ts"
export declare const checks: { chunk: (value: unknown) => value is ChatChunk }
`
