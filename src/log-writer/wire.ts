// Encodes and decodes frames. A line that is not a frame ends the connection.
import { checkRefusal } from "../contract/generated/refusals.js"
import type { WriteAnswer, WriteRequest } from "../log/sqlite/writes/write-request.ts"
import type { ClientFrame, WriterFrame } from "./frames.ts"
import { checkAccepted } from "./generated/answers.js"
import { checks } from "./generated/frames.js"
import { checkWriteRequest } from "./generated/requests.js"

/** Raise it with every incompatible change of frames or requests. */
export const protocolVersion = 1

/** Bytes of one request. A larger event would not fit into a database row either. */
export const MAX_LINE_BYTES = 512 * 1024 * 1024

export class WireFault extends Error {
  override readonly name = "WireFault"
}

export function encode(frame: ClientFrame | WriterFrame): string {
  return `${JSON.stringify(frame)}\n`
}

export function clientFrameIn(line: string): ClientFrame {
  const frame = parse(line)
  if (checks.client(frame)) return frame
  throw new WireFault("not a frame of a client of the log writer")
}

export function writerFrameIn(line: string): WriterFrame {
  const frame = parse(line)
  if (checks.writer(frame)) return frame
  throw new WireFault("not a frame of the log writer")
}

export function requestIn(value: unknown): WriteRequest | undefined {
  return checkWriteRequest(value) ? value : undefined
}

export function answerIn(value: unknown): WriteAnswer {
  if (checkAccepted(value)) return value
  if (typeof value === "object" && value !== null && "refusal" in value && checkRefusal(value.refusal))
    return { kind: "refused", refusal: value.refusal }
  throw new WireFault("not an answer of the log writer")
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new WireFault("not JSON")
  }
}
