// What waits for the parent, in the order in which it was said. As long as the parent reads, what comes up in one round
// of the event loop is one write. When it does not read, pieces of one block are joined, and past the bound the door
// stops telling until there is room again: nothing grows, and nobody waits for a slow reader.
import { encodeDelta, encodeFrame, type ChildFrame, type DeltaEvent } from "../../protocols/rpc/encode.ts"
import type { FrameSink } from "../../protocols/rpc/sink.ts"

export interface Pipe {
  /** False when the reader does not keep up; `Outbox.drained` is to be called when it does again. */
  write(text: string): boolean
}

const most = { frames: 256, bytes: 1024 * 1024 }
/** What may wait for the end of a round of the event loop. */
const roundBytes = 32 * 1024
/** Characters of pieces that are joined. */
const joinedLength = 32 * 1024

interface Amount {
  frames: number
  bytes: number
}

export class Outbox implements FrameSink {
  readonly #pipe: Pipe
  #text = ""
  /** The newest piece, while others may still be joined to it. */
  #piece: DeltaEvent | undefined
  #told: Amount = { frames: 0, bytes: 0 }
  #answers: Amount = { frames: 0, bytes: 0 }
  #isStalled = false
  #isDue = false

  constructor(pipe: Pipe) {
    this.#pipe = pipe
  }

  /** The parent does not read, and as much waits as may: tell no more. */
  get isFull(): boolean {
    return this.#isStalled && isPast(this.#told)
  }

  /** The parent asks and does not read: listen no more. */
  get hasUnreadAnswers(): boolean {
    return this.#isStalled && isPast(this.#answers)
  }

  /** The answer to a question: it waits however much waits already. */
  answer(frame: ChildFrame): void {
    this.#add(encodeFrame(frame), this.#answers)
  }

  frame(frame: ChildFrame): void {
    this.#add(encodeFrame(frame), this.#told)
  }

  delta(event: DeltaEvent): void {
    if (!this.#isStalled) return this.#add(encodeDelta(event), this.#told)
    if (this.#piece !== undefined && isOfOneBlock(this.#piece, event)) {
      this.#piece.delta += event.delta
      this.#told.bytes += event.delta.length
      return
    }
    this.#closePiece()
    this.#piece = { ...event }
    this.#told.frames += 1
    this.#told.bytes += event.delta.length
  }

  /** The pipe has room again. */
  drained(): void {
    this.#isStalled = false
    this.flush()
  }

  flush(): void {
    this.#isDue = false
    if (this.#isStalled) return
    this.#closePiece()
    const text = this.#text
    if (text === "") return
    this.#text = ""
    this.#told = { frames: 0, bytes: 0 }
    this.#answers = { frames: 0, bytes: 0 }
    if (!this.#pipe.write(text)) this.#isStalled = true
  }

  #add(line: string, amount: Amount): void {
    this.#closePiece()
    this.#text += line
    amount.frames += 1
    amount.bytes += line.length
    if (this.#isStalled) return
    if (this.#text.length > roundBytes) return this.flush()
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => this.flush())
  }

  #closePiece(): void {
    if (this.#piece === undefined) return
    this.#text += encodeDelta(this.#piece)
    this.#piece = undefined
  }
}

function isPast({ frames, bytes }: Amount): boolean {
  return frames >= most.frames || bytes >= most.bytes
}

function isOfOneBlock(one: DeltaEvent, next: DeltaEvent): boolean {
  if (one.type !== next.type || one.delta.length + next.delta.length > joinedLength) return false
  return one.type !== "toolcall_input_delta" || (next.type === one.type && next.tool_id === one.tool_id)
}
