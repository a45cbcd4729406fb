// Lines of the native API as simulated clients read and write them. A line that several clients get is parsed once.
import { decodeHostFrame } from "../../../protocols/house/codec.ts"
import type { HostFrame } from "../../../protocols/house/frames.ts"

const known = new WeakMap<Uint8Array, HostFrame>()
const decoder = new TextDecoder()

export function frameOf(line: string | Uint8Array): HostFrame {
  if (typeof line === "string") return parsed(line)
  const frame = known.get(line) ?? parsed(decoder.decode(line))
  known.set(line, frame)
  return frame
}

function parsed(text: string): HostFrame {
  const decoded = decodeHostFrame(text)
  if (decoded.kind === "frame") return decoded.frame
  throw new Error(`a host sent a line that is no frame: ${text}`)
}
