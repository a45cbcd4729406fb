// A frame for viewers, encoded once for all of them: as a line and, once a viewer needs it, sealed. All viewers of a
// session share its key.
import { encodeAgentMessage } from "../../protocols/ipc/codec.ts"
import type { AgentMessage } from "../../protocols/ipc/frames.ts"
import { frameLimits } from "../../protocols/ipc/limits.ts"
import { shortenMessage } from "../../protocols/ipc/view/display-messages.ts"
import type { ChunkType } from "../../protocols/ipc/view/turn-frames.ts"
import { splitText } from "../../contract/text/text.ts"
import { seal } from "../../transports/framing/sealed-frames.ts"

/** A position in the text of a turn. The live session counts the turns. */
export interface TextPosition {
  readonly turn: number
  readonly offset: number
}

/** Leaves room for what sealing adds. */
const MAX_BYTES = frameLimits.lineBytes - 64
/** A text is cut shorter than the limit, because its characters differ in bytes. */
const CUT_SHARE = 0.9
const NEWLINE = "\n"

export interface FrameReceiver {
  send(frame: Frame): void
}

/** The viewer that sent a message. */
export interface Requester extends FrameReceiver {
  reply(message: AgentMessage): void
  /** Writes what is kept, then closes. */
  end(): void
}

export class Frame {
  readonly type: AgentMessage["type"]
  readonly line: Buffer
  /** Where the text of a chunk begins. */
  readonly position: TextPosition | undefined
  #sealed: Buffer | undefined

  constructor(message: AgentMessage, position?: TextPosition) {
    this.type = message.type
    this.line = Buffer.from(encodeToFit(message) + NEWLINE)
    this.position = position
  }

  sealed(key: Uint8Array): Buffer {
    this.#sealed ??= seal(key, this.line.subarray(0, -NEWLINE.length))
    return this.#sealed
  }
}

/** A text that begins at a position, in as many chunks as needed. */
export function textFrames(type: ChunkType, text: string, { turn, offset }: TextPosition): readonly Frame[] {
  let start = offset
  return splitText(text, frameLimits.chunkLength).map((piece) => {
    const frame = new Frame({ type, text: piece }, { turn, offset: start })
    start += piece.length
    return frame
  })
}

/** Keeps the newest messages of a list that is too long, and the beginning of a message. */
function encodeToFit(message: AgentMessage): string {
  const line = encodeAgentMessage(message)
  if (line.length * 3 < MAX_BYTES) return line
  const bytes = Buffer.byteLength(line)
  if (bytes <= MAX_BYTES) return line
  if (message.type === "message_added" || message.type === "plan_mode_message_added")
    return encodeToFit({ ...message, message: shortenMessage(message.message, (CUT_SHARE * MAX_BYTES) / bytes) })
  if ("messages" in message && message.messages.length > 0) {
    const older = Math.ceil(message.messages.length / 2)
    return encodeToFit({ ...message, messages: message.messages.slice(older) })
  }
  return encodeAgentMessage({ type: "error", message: `A ${message.type} was too long to be sent`, fatal: false })
}
