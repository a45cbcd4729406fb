// The outbox of the parent on its pipe. While it reads, what comes up in one round of the event loop is one write. While
// it does not, deltas of one block are joined; past the limit updates pause (`SessionWatch`) and its commands are not
// read.
import {
  encodeDelta,
  encodeFrame,
  type ChildFrame,
  type DeltaEvent,
  type FrameSink,
} from "../../protocols/rpc/codec.ts"
import { rpcLimits } from "../../protocols/rpc/limits.ts"
import { Outbox, type ClientStream } from "../core/outbox.ts"
import type { Flow } from "../core/session-watch.ts"

export interface Pipe {
  /** False when the reader does not keep up; `ParentOutbox.drained` must be called when it does again. */
  write(text: string): boolean
}

/** A line, or a delta that can still be joined with the next one. */
type Outgoing = string | DeltaEvent

export class ParentOutbox implements FrameSink, Flow {
  readonly #stream: RoundStream
  readonly #outbox: Outbox<Outgoing>

  constructor(pipe: Pipe, onEmptied: () => void = () => {}) {
    const limit = { frames: rpcLimits.outboxFrames, bytes: rpcLimits.outboxBytes }
    this.#stream = new RoundStream(pipe)
    this.#outbox = new Outbox(this.#stream, {
      limits: { update: limit, reply: limit },
      sizeOf: (outgoing) => (typeof outgoing === "string" ? outgoing.length : outgoing.delta.length),
      join: joinDeltas,
      onEmptied,
    })
  }

  isFull(): boolean {
    return this.#outbox.isFull("update")
  }

  /** The parent sends commands and does not read the answers. */
  get hasUnreadReplies(): boolean {
    return this.#outbox.isFull("reply")
  }

  emptied(): Promise<void> {
    return this.#outbox.emptied()
  }

  reply(frame: ChildFrame): void {
    this.#outbox.offer(encodeFrame(frame), "reply")
  }

  frame(frame: ChildFrame): void {
    this.#outbox.offer(encodeFrame(frame), "update")
  }

  delta(event: DeltaEvent): void {
    this.#outbox.offer(event, "update")
  }

  /** The pipe has room again. */
  drained(): void {
    this.#stream.resume()
  }

  /** Writes the current round at once. */
  flush(): void {
    this.#stream.flush()
  }
}

class RoundStream implements ClientStream<Outgoing> {
  /** A pipe ends with the process. */
  readonly closed = new Promise<void>(() => {})
  isBehind = false
  readonly #pipe: Pipe
  #text = ""
  #isDue = false
  #drained = Promise.withResolvers<void>()

  constructor(pipe: Pipe) {
    this.#pipe = pipe
  }

  write(outgoing: Outgoing): void {
    this.#text += typeof outgoing === "string" ? outgoing : encodeDelta(outgoing)
    if (this.#text.length > rpcLimits.roundBytes) return this.flush()
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => this.flush())
  }

  flush(): void {
    this.#isDue = false
    const text = this.#text
    if (text === "") return
    this.#text = ""
    if (!this.#pipe.write(text)) this.isBehind = true
  }

  drained(): Promise<void> {
    return this.#drained.promise
  }

  resume(): void {
    this.isBehind = false
    this.#drained.resolve()
    this.#drained = Promise.withResolvers()
  }
}

function joinDeltas(previous: Outgoing, next: Outgoing): DeltaEvent | undefined {
  if (typeof previous === "string" || typeof next === "string" || previous.type !== next.type) return undefined
  if (previous.delta.length + next.delta.length > rpcLimits.deltaLength) return undefined
  if ("tool_id" in previous && "tool_id" in next && previous.tool_id !== next.tool_id) return undefined
  return { ...previous, delta: previous.delta + next.delta }
}
