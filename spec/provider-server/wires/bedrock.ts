// Bedrock's ConverseStream: JSON inside Amazon's binary event-stream frames.
import { crc32 } from "node:zlib"
import type { JsonValue } from "../../../src/contract/values.ts"
import { finishIn, pieces, toolJson, usageIn, type Answer, type Block } from "../script.ts"
import type { Frame, Wire } from "./wire.ts"

const stopReasons = {
  stop: "end_turn",
  length: "max_tokens",
  "tool-calls": "tool_use",
  "content-filter": "content_filtered",
} as const

export const bedrock: Wire = {
  contentType: "application/vnd.amazon.eventstream",
  encodeAnswer: (answer) => [event("messageStart", { role: "assistant" }), ...answer.blocks.flatMap(blockFrames)],
  finish: (answer) => [
    event("messageStop", { stopReason: stopReasons[finishIn(answer)] }),
    event("metadata", { usage: usage(answer) }),
  ],
  overloaded: () => [
    frame({ ":message-type": "exception", ":exception-type": "throttlingException" }, { message: "Overloaded" }),
  ],
  refuse: ({ status, error }) => ({ message: error?.message ?? `scripted ${status}` }),
}

function blockFrames(block: Block, index: number): Frame[] {
  const at = { contentBlockIndex: index }
  const start =
    "tool" in block
      ? [
          event("contentBlockStart", {
            ...at,
            start: { toolUse: { toolUseId: block.id ?? `tool_${index}`, name: block.tool } },
          }),
        ]
      : []
  const deltas = blockDeltas(block).map((delta) => event("contentBlockDelta", { ...at, delta }))
  return [...start, ...deltas, event("contentBlockStop", at)]
}

function blockDeltas(block: Block): JsonValue[] {
  if ("text" in block) return pieces(block.text).map((text) => ({ text }))
  if ("thinking" in block) return pieces(block.thinking).map((text) => ({ reasoningContent: { text } }))
  return pieces(toolJson(block)).map((input) => ({ toolUse: { input } }))
}

function usage(answer: Answer): JsonValue {
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h } = usageIn(answer)
  return {
    inputTokens: input - cacheRead - cacheWrite5m - cacheWrite1h,
    outputTokens: output,
    totalTokens: input + output,
    cacheReadInputTokens: cacheRead,
    cacheWriteInputTokens: cacheWrite5m + cacheWrite1h,
    cacheDetails: [
      { ttl: "5m", inputTokens: cacheWrite5m },
      { ttl: "1h", inputTokens: cacheWrite1h },
    ],
  }
}

function event(type: string, data: JsonValue): Frame {
  return frame({ ":message-type": "event", ":event-type": type, ":content-type": "application/json" }, data)
}

/** Lengths, checksum of the lengths, headers, payload, checksum of it all. */
function frame(headers: Readonly<Record<string, string>>, data: JsonValue): Uint8Array {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)))
  const payload = Buffer.from(JSON.stringify(data))
  const prelude = Buffer.alloc(8)
  prelude.writeUInt32BE(12 + head.length + payload.length + 4, 0)
  prelude.writeUInt32BE(head.length, 4)
  const checked = Buffer.concat([prelude, checksum(prelude), head, payload])
  return Buffer.concat([checked, checksum(checked)])
}

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(Buffer.byteLength(value))
  const stringType = 7
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([stringType]),
    length,
    Buffer.from(value),
  ])
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(bytes))
  return sum
}
