// Checks the child's output against the schemas that both sides share: every line is one frame, in ASCII so that a parent
// may decode chunk by chunk, without nulls and lone surrogates; a response has the body of its command.
import type { AnsweredCommand, ExtendedEvent, RpcEvent } from "../../src/protocols/rpc/frames.ts"
import { checks } from "../../src/protocols/rpc/generated/bodies.js"
import { checkRpcEvent } from "../../src/protocols/rpc/generated/events.js"
import type { Line } from "../../src/transports/framing/lines.ts"

type Frame = RpcEvent | ExtendedEvent
export type Checked =
  | { readonly kind: "frame"; readonly frame: Frame }
  | { readonly kind: "wrong"; readonly what: string }

export function checkedFrame(line: Line, isExtended: boolean): Checked {
  if (line.kind !== "line") return { kind: "wrong", what: `a line is ${line.kind}` }
  const wrong = (what: string): Checked => ({ kind: "wrong", what: `${what}: ${line.text.slice(0, 1000)}` })
  const value = parsed(line.text)
  if (!checkRpcEvent(value)) return wrong("this is no frame of the protocol")
  if (!isAscii(line.text)) return wrong("this frame is not in ASCII")
  if (hasLoneSurrogate(line.text)) return wrong("this frame has half a character")
  if (value.type === "approval" && !isExtended) return wrong("this frame is not part of version 1")
  if (nullFields(value).length > 0) return wrong(`${nullFields(value).join(", ")} should be left out`)
  if (value.type === "response" && !hasItsBody(value)) return wrong("this response has not the body of its command")
  return { kind: "frame", frame: value }
}

function hasItsBody(response: Extract<Frame, { type: "response" }>): boolean {
  return isAnswered(response.command) && checks[response.command](response)
}

function isAnswered(command: string): command is AnsweredCommand {
  return Object.hasOwn(checks, command)
}

/** Optional fields are left out when unknown. */
function nullFields(frame: Frame): readonly string[] {
  const fields = frame.type === "agent_end" ? frame.usage : frame
  return Object.entries(fields).flatMap(([name, value]) => (value === null ? [name] : []))
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}

/** Serde refuses an escape that is half a pair. */
function hasLoneSurrogate(text: string): boolean {
  const unescaped = text.replaceAll("\\\\", "")
  return /\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}/i.test(unescaped)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
