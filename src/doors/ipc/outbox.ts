// What waits for one viewer. As long as it reads, frames go straight to its connection. When it does not, they wait
// here; past the bound the pieces of text among them are dropped, and when the viewer has read the rest it is brought up
// to date: nothing it has read comes again, and the text that it missed comes whole. The session never waits for it.
import type { AgentMessage } from "../../protocols/ipc/frames.ts"
import type { LineConnection } from "../../transports/line-connection.ts"
import type { Frame, Place } from "./frame.ts"
import type { IpcLimits } from "../../protocols/ipc/limits.ts"

export interface OutboxDeps {
  readonly limits: IpcLimits
  /** Of a viewer that speaks in sealed frames. */
  readonly key: () => Uint8Array | undefined
  /** Where the text of the running turn ends now. */
  readonly place: () => Place
  /** Brings a viewer up to date that has the text of the running turn up to a place. */
  readonly upToDate: (place: Place) => readonly Frame[]
}

export class Outbox {
  readonly #connection: LineConnection
  readonly #deps: OutboxDeps
  #waiting: Frame[] = []
  #bytes = 0
  /** Of the frame that is being written. */
  #rest: Uint8Array | undefined
  #stalled: NodeJS.Timeout | undefined
  /** Up to where the viewer has the text, when it missed some. */
  #missedFrom: Place | undefined
  #isEnding = false
  #isStopped = false

  constructor(connection: LineConnection, deps: OutboxDeps) {
    this.#connection = connection
    this.#deps = deps
  }

  tell(frame: Frame): void {
    if (this.#isEnding || this.#isStopped) return
    if (this.#stalled === undefined) return this.#write(this.#bytesOf(frame))
    if (this.#missedFrom !== undefined && dropped.has(frame.type)) return
    this.#waiting.push(frame)
    this.#bytes += frame.line.length
    if (this.#isPast(1)) this.#makeRoom()
  }

  /** Nothing more is added; when the viewer has read what waits, the connection is closed. */
  end(): void {
    if (this.#isEnding || this.#isStopped) return
    this.#isEnding = true
    if (this.#stalled === undefined) this.#close()
  }

  /** Nobody is there to read. */
  stop(): void {
    this.#isStopped = true
    this.#waiting = []
    this.#rest = undefined
    clearTimeout(this.#stalled)
  }

  #bytesOf(frame: Frame): Uint8Array {
    const key = this.#deps.key()
    return key === undefined ? frame.line : frame.sealed(key)
  }

  /** A long frame goes out in pieces, so that it shows whether the viewer reads at all. */
  #write(bytes: Uint8Array): void {
    const { pieceBytes } = this.#deps.limits
    if (bytes.length > pieceBytes) {
      this.#connection.sendBytes(bytes.subarray(0, pieceBytes))
      this.#rest = bytes.subarray(pieceBytes)
    } else this.#connection.sendBytes(bytes)
    if (this.#rest !== undefined || this.#connection.waiting >= pieceBytes) this.#wait()
  }

  #wait(): void {
    this.#stalled = setTimeout(() => this.#connection.destroy(), this.#deps.limits.stalledMs)
    void this.#connection.drained().then(() => this.#goOn())
  }

  #goOn(): void {
    clearTimeout(this.#stalled)
    this.#stalled = undefined
    while (this.#stalled === undefined && !this.#isStopped) {
      const bytes = this.#next()
      if (bytes === undefined) return this.#emptied()
      this.#write(bytes)
    }
  }

  #next(): Uint8Array | undefined {
    const rest = this.#rest
    this.#rest = undefined
    if (rest !== undefined) return rest
    const frame = this.#waiting.shift()
    if (frame === undefined) return undefined
    this.#bytes -= frame.line.length
    return this.#bytesOf(frame)
  }

  #emptied(): void {
    const missedFrom = this.#missedFrom
    this.#missedFrom = undefined
    if (this.#isEnding) return this.#close()
    if (missedFrom !== undefined) for (const frame of this.#deps.upToDate(missedFrom)) this.tell(frame)
  }

  /** First the pieces of text; if that is not enough, all that being brought up to date makes superfluous. */
  #makeRoom(): void {
    this.#missedFrom ??= this.#waiting.find(({ place }) => place !== undefined)?.place ?? this.#deps.place()
    this.#drop(dropped)
    if (this.#isPast(0.5)) this.#drop(superseded)
    if (this.#isPast(1)) this.#connection.destroy() // it asks and asks and reads nothing
  }

  #drop(types: ReadonlySet<AgentMessage["type"]>): void {
    this.#waiting = this.#waiting.filter(({ type }) => !types.has(type))
    this.#bytes = this.#waiting.reduce((bytes, { line }) => bytes + line.length, 0)
  }

  #isPast(share: number): boolean {
    const { outboxMessages, outboxBytes } = this.#deps.limits
    return this.#waiting.length > share * outboxMessages || this.#bytes > share * outboxBytes
  }

  /** The other side may still be talking: it is given a moment to read before it is cut off. */
  #close(): void {
    this.#connection.end()
    const deadline = setTimeout(() => this.#connection.destroy(), this.#deps.limits.lastWordsMs)
    void this.#connection.closed.then(() => clearTimeout(deadline))
  }
}

const dropped: ReadonlySet<AgentMessage["type"]> = new Set(["stream_chunk", "plan_mode_stream_chunk", "tool_progress"])
/** The end of a stream is not among them: without it the texts of two turns would run together. */
const superseded: ReadonlySet<AgentMessage["type"]> = new Set([
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
