// The outbox of one viewer. When the viewer falls too far behind, text is dropped, then everything that a sync replaces;
// when it has read the rest it is resynchronised: it gets nothing twice, and the text that it missed whole.
import { setImmediate } from "node:timers/promises"
import type { AgentMessage } from "../../protocols/ipc/frames.ts"
import type { IpcLimits } from "../../protocols/ipc/limits.ts"
import type { LineConnection } from "../../transports/line-connection.ts"
import { endWithin, Outbox, type ClientStream } from "../core/outbox.ts"
import type { Frame, TextPosition } from "./frame.ts"

export interface ViewerOutboxOptions {
  readonly limits: IpcLimits
  /** The key of a viewer that uses sealed frames. */
  readonly key: () => Uint8Array | undefined
  /** Where the text of the running turn ends now. */
  readonly position: () => TextPosition
  /** Frames for a viewer that has the text up to a position. */
  readonly resyncFrames: (missedFrom: TextPosition) => readonly Frame[]
}

export class ViewerOutbox {
  readonly #connection: LineConnection
  readonly #options: ViewerOutboxOptions
  readonly #stream: PieceStream
  readonly #outbox: Outbox<Frame>
  /** Set while text was dropped: up to where the viewer has it. */
  #missedFrom: TextPosition | undefined
  #isEnding = false

  constructor(connection: LineConnection, options: ViewerOutboxOptions) {
    const { limits, key } = options
    const limit = { frames: limits.outboxMessages, bytes: limits.outboxBytes }
    this.#connection = connection
    this.#options = options
    this.#stream = new PieceStream(connection, limits.pieceBytes, key)
    this.#outbox = new Outbox(this.#stream, {
      limits: { update: limit, reply: limit },
      sizeOf: ({ line }) => line.length,
      onOverflow: () => this.#makeRoom(),
      onEmptied: () => this.#onEmptied(),
      stalled: { afterMs: limits.stalledMs, onStalled: () => connection.destroy() },
    })
  }

  send(frame: Frame): void {
    if (this.#isEnding || (this.#missedFrom !== undefined && droppedFirst.has(frame.type))) return
    this.#outbox.offer(frame)
  }

  /** Accepts nothing more, and closes the connection when the viewer has read the rest. */
  end(): void {
    if (this.#isEnding) return
    this.#isEnding = true
    if (!this.#stream.isBehind && this.#outbox.kept().frames === 0) this.#close()
  }

  #onEmptied(): void {
    if (this.#isEnding) return this.#close()
    const missedFrom = this.#missedFrom
    this.#missedFrom = undefined
    if (missedFrom !== undefined) for (const frame of this.#options.resyncFrames(missedFrom)) this.send(frame)
  }

  #makeRoom(): void {
    const { limits, position } = this.#options
    const first = this.#outbox.keptFrames.find((frame) => frame.position !== undefined)
    this.#missedFrom ??= first?.position ?? position()
    this.#outbox.drop(({ type }) => droppedFirst.has(type))
    const { frames, bytes } = this.#outbox.kept()
    if (frames > limits.outboxMessages / 2 || bytes > limits.outboxBytes / 2)
      this.#outbox.drop(({ type }) => replacedBySync.has(type))
    if (this.#outbox.isFull()) this.#connection.destroy() // it sends requests and reads no reply
  }

  #close(): void {
    endWithin(this.#connection, this.#options.limits.closeMs)
  }
}

/** Writes long frames in pieces, so that a viewer that reads slowly can be distinguished from one that does not read. */
class PieceStream implements ClientStream<Frame> {
  readonly closed: Promise<void>
  readonly #connection: LineConnection
  readonly #pieceBytes: number
  readonly #key: () => Uint8Array | undefined
  /** Of the frame that is being written. */
  #rest: Uint8Array | undefined

  constructor(connection: LineConnection, pieceBytes: number, key: () => Uint8Array | undefined) {
    this.closed = connection.closed
    this.#connection = connection
    this.#pieceBytes = pieceBytes
    this.#key = key
  }

  get isBehind(): boolean {
    return this.#rest !== undefined || this.#connection.waiting >= this.#pieceBytes
  }

  write(frame: Frame): void {
    const key = this.#key()
    this.#writePiece(key === undefined ? frame.line : frame.sealed(key))
  }

  async drained(): Promise<void> {
    await this.#connection.drained()
    if (this.#rest !== undefined) this.#writePiece(this.#rest)
    else if (this.isBehind) await setImmediate() // a broken connection is never drained
  }

  #writePiece(bytes: Uint8Array): void {
    const isWhole = bytes.length <= this.#pieceBytes
    this.#connection.sendBytes(isWhole ? bytes : bytes.subarray(0, this.#pieceBytes))
    this.#rest = isWhole ? undefined : bytes.subarray(this.#pieceBytes)
  }
}

const droppedFirst: ReadonlySet<AgentMessage["type"]> = new Set([
  "stream_chunk",
  "plan_mode_stream_chunk",
  "tool_progress",
])
/** Not `stream_end`: without it the texts of two turns would run together. */
const replacedBySync: ReadonlySet<AgentMessage["type"]> = new Set([
  "tool_call_start",
  "tool_result",
  "message_added",
  "status_update",
  "task_update",
  "conversation_sync",
  "seal_status",
  "plan_mode_message_added",
  "plan_mode_sync",
])
