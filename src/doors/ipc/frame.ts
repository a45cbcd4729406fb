// A message on its way to viewers, encoded once for all of them: as a line, and sealed only when one of them wants that.
// All viewers of a session share its key, so what is sealed for one is sealed for all.
import { encodeAgent } from "../../protocols/ipc/encode.ts"
import { cutMessage } from "../../protocols/ipc/view/display-messages.ts"
import type { AgentMessage } from "../../protocols/ipc/frames.ts"
import type { ChunkType } from "../../protocols/ipc/view/plan-frames.ts"
import { maxLineBytes } from "../../protocols/ipc/codec.ts"
import { endsInHalf } from "../../protocols/rpc/sink.ts"
import { seal } from "../../transports/framing/sealed-frames.ts"

/** A place in the text of a turn. Turns are counted by whoever tells. */
export interface Place {
  readonly turn: number
  readonly start: number
}

/** What sealing adds to a message must fit as well. */
const mostBytes = maxLineBytes - 64
/** How much shorter than the limit a text is cut: its letters need not all take the same number of bytes. */
const cutShare = 0.9
const newline = "\n"
/** Of one chunk that is made of a longer text: whatever its letters are, it fits a line. */
const chunkLength = 1024 * 1024

export class Frame {
  readonly type: AgentMessage["type"]
  readonly line: Buffer
  /** Where the text of a chunk begins. */
  readonly place: Place | undefined
  #sealed: Buffer | undefined

  constructor(message: AgentMessage, place?: Place) {
    this.type = message.type
    this.line = Buffer.from(fitting(message) + newline)
    this.place = place
  }

  sealed(key: Uint8Array): Buffer {
    this.#sealed ??= seal(key, this.line.subarray(0, -newline.length))
    return this.#sealed
  }
}

/** A text from a place on, in as many chunks as it takes. */
export function textFrames(type: ChunkType, text: string, { turn, start }: Place): readonly Frame[] {
  const frames: Frame[] = []
  for (let from = 0; from < text.length;) {
    const most = Math.min(text.length, from + chunkLength)
    const to = endsInHalf(text.charCodeAt(most - 1)) && most < text.length ? most - 1 : most
    const chunk = { type, text: text.slice(from, to) }
    frames.push(new Frame(chunk, { turn, start: start + from }))
    from = to
  }
  return frames
}

/** Of a conversation that no line can hold the newest part is shown, of a message its beginning. */
function fitting(message: AgentMessage): string {
  const line = encodeAgent(message)
  if (line.length * 3 < mostBytes) return line
  const bytes = Buffer.byteLength(line)
  if (bytes <= mostBytes) return line
  if (message.type === "message_added" || message.type === "plan_mode_message_added") {
    return fitting({ ...message, message: cutMessage(message.message, (cutShare * mostBytes) / bytes) })
  }
  if ("messages" in message && message.messages.length > 0) {
    const older = Math.ceil(message.messages.length / 2)
    return fitting({ ...message, messages: message.messages.slice(older) })
  }
  return encodeAgent({ type: "error", message: `A ${message.type} was too long to be sent`, fatal: false })
}
