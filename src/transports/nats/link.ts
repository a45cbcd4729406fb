// One end of a link: lines over messages that may be lost, repeated or reordered. What is delivered is a prefix of what was
// sent: a gap closes the link, and nothing is ever sent again. Knows nothing of NATS.
import type { ByteReader, LineConnection } from "../line-connection.ts"
import { Backlog } from "./backlog.ts"
import { ByteQueue } from "./byte-queue.ts"
import { HEARTBEAT_TICKS, MAX_MESSAGE_BYTES, REPORT_BYTES, SILENCE_TICKS, WINDOW_BYTES } from "./limits.ts"
import { SEAL_BYTES, type Opener, type Sealer } from "./sealing.ts"

/** The plaintext of a message: what it is (1 byte), bytes consumed by its sender so far (6, big-endian), data. */
const kindData = 0
/** The sender sends no more data and waits for the `end` of the peer. */
const kindEnd = 1
/** The sender has closed the link. */
const kindGone = 2
const headBytes = 7
const plaintext = Buffer.allocUnsafe(MAX_MESSAGE_BYTES)
/** Of the backlog, so that the reader can pause again in between. */
const deliveryBytes = 64 * 1024

export interface Wire {
  /** What the server accepts in one message. */
  readonly maxPayload: number
  publish(message: Uint8Array): void
  /** Called once, when the link has closed. */
  release(): void
}

export class Link implements LineConnection {
  readonly #closed = Promise.withResolvers<void>()
  readonly closed = this.#closed.promise
  readonly #wire: Wire
  readonly #maxData: number
  readonly #sealer: Sealer
  readonly #opener: Opener
  readonly #accept: (connection: LineConnection) => ByteReader
  #reader: ByteReader | undefined
  #isStarted = false
  #isClosed = false

  readonly #queue = new ByteQueue()
  #isScheduled = false
  #drainWaiters: (() => void)[] = []
  /** Bytes of data: put into messages, and reported by the peer as consumed. */
  #sent = 0
  #acknowledged = 0
  #isEnding = false
  #hasSentEnd = false

  readonly #backlog = new Backlog()
  #isPaused = false
  #nextSequence = 0
  /** Bytes of data: handed to the reader, and reported to the peer. */
  #consumed = 0
  #reported = 0
  /** How the peer has finished; it takes effect when the backlog is delivered. */
  #peerFinish: typeof kindEnd | typeof kindGone | undefined

  #ticksSinceSent = 0
  #ticksSinceReceived = 0

  /** `accept` is called by `start`, or with the first message of the peer. */
  constructor(wire: Wire, sealer: Sealer, opener: Opener, accept: (connection: LineConnection) => ByteReader) {
    this.#wire = wire
    this.#maxData = Math.min(MAX_MESSAGE_BYTES, wire.maxPayload - SEAL_BYTES) - headBytes
    this.#sealer = sealer
    this.#opener = opener
    this.#accept = accept
  }

  /** Sends a first message, by which the peer knows that this side has the key. */
  start(): void {
    if (this.#isStarted) return
    this.#publish(kindData)
    this.#attach()
  }

  get isStarted(): boolean {
    return this.#isStarted
  }

  send(line: string): void {
    this.sendBytes(Buffer.from(`${line}\n`))
  }

  sendBytes(line: Uint8Array): void {
    if (this.#isClosed || this.#isEnding) return
    this.#queue.push(line)
    this.#schedule()
  }

  /** Bytes on the way count only beyond what the peer need not report yet, so that an idle link has none. */
  get waiting(): number {
    return this.#queue.bytes + Math.max(0, this.#sent - this.#acknowledged - REPORT_BYTES)
  }

  drained(): Promise<void> {
    if (this.waiting === 0) return Promise.resolve()
    return new Promise((resolve) => this.#drainWaiters.push(resolve))
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    while (this.#backlog.bytes > 0 && !this.#isPaused && !this.#isClosed)
      this.#deliver(this.#backlog.take(deliveryBytes))
    this.#finishWithPeer()
  }

  end(): void {
    if (!this.#isStarted) return this.#leave()
    if (this.#isEnding) return
    this.#isEnding = true
    this.#schedule()
  }

  /** Sends what the window allows. */
  destroy(): void {
    this.flush()
    this.#leave()
  }

  /** The connection that carried the link is lost. Returns a message by which the peer learns it later. */
  abandon(): Uint8Array | undefined {
    if (this.#isClosed) return undefined
    const farewell = this.#isStarted ? this.#seal(kindGone, 0) : undefined
    this.#close()
    return farewell
  }

  /** Returns false for a message that the peer has not sealed, which is ignored. */
  receive(message: Uint8Array): boolean {
    if (this.#isClosed) return true
    const opened = this.#opener.open(message)
    if (opened === undefined) return false
    if (this.#opener.sequence === this.#nextSequence && this.#peerFinish !== kindGone) this.#read(opened)
    else this.#leave()
    return true
  }

  tick(): void {
    this.#ticksSinceReceived += 1
    this.#ticksSinceSent += 1
    if (this.#peerFinish === kindGone) return // only the backlog is left
    if (this.#ticksSinceReceived >= SILENCE_TICKS) this.#leave()
    else if (this.#ticksSinceSent >= HEARTBEAT_TICKS && this.#isStarted) this.#publish(kindData)
  }

  flush(): void {
    this.#isScheduled = false
    if (this.#isClosed) return
    while (this.#queue.bytes > 0 && this.#room > 0) this.#publish(kindData)
    if (this.#consumed - this.#reported >= REPORT_BYTES) this.#publish(kindData)
    if (this.#isEnding && !this.#hasSentEnd && this.#queue.bytes === 0) {
      this.#hasSentEnd = true
      this.#publish(kindEnd)
    }
    this.#finishWithPeer()
    this.#resolveDrained()
  }

  get #room(): number {
    return WINDOW_BYTES - (this.#sent - this.#acknowledged)
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    if (scheduled.length === 0) setImmediate(flushScheduled)
    scheduled.push(this)
  }

  #read(opened: Buffer): void {
    this.#nextSequence += 1
    this.#ticksSinceReceived = 0
    if (!this.#isStarted) this.#attach()
    const acknowledged = opened.length < headBytes ? -1 : opened.readUIntBE(1, 6)
    if (acknowledged < this.#acknowledged || acknowledged > this.#sent) return this.#leave()
    if (acknowledged > this.#acknowledged) this.#acknowledge(acknowledged)
    const [kind] = opened
    if (opened.length > headBytes && !this.#takeIn(opened.subarray(headBytes))) return this.#leave()
    if (kind === kindEnd || kind === kindGone) this.#peerFinish = kind
    this.#finishWithPeer()
  }

  #attach(): void {
    this.#isStarted = true
    this.#reader = this.#accept(this)
  }

  #acknowledge(bytes: number): void {
    this.#acknowledged = bytes
    if (this.#queue.bytes > 0) this.#schedule()
    this.#resolveDrained()
  }

  /** False when the peer may not send these bytes. */
  #takeIn(data: Uint8Array): boolean {
    if (this.#peerFinish !== undefined) return false
    if (this.#isPaused || this.#backlog.bytes > 0) return this.#backlog.push(data)
    this.#deliver(data)
    return true
  }

  #deliver(data: Uint8Array): void {
    if (this.#isClosed) return
    this.#consumed += data.length
    this.#reader?.bytes(data)
    if (this.#consumed - this.#reported >= REPORT_BYTES) this.#schedule()
  }

  #finishWithPeer(): void {
    if (this.#peerFinish === undefined || this.#backlog.bytes > 0 || this.#isClosed) return
    if (this.#peerFinish === kindEnd && !this.#hasSentEnd) return this.end()
    if (this.#peerFinish === kindEnd) this.#reader?.end()
    this.#close()
  }

  #publish(kind: number): void {
    this.#ticksSinceSent = 0
    const room = this.#hasSentEnd ? 0 : Math.min(this.#maxData, this.#room)
    this.#wire.publish(this.#seal(kind, room))
  }

  #seal(kind: number, room: number): Buffer {
    const taken = room > 0 ? this.#queue.take(plaintext, headBytes, room) : 0
    this.#sent += taken
    this.#reported = this.#consumed
    plaintext[0] = kind
    plaintext.writeUIntBE(this.#consumed, 1, 6)
    return this.#sealer.seal(plaintext.subarray(0, headBytes + taken))
  }

  /** Closes at once and tells the peer. */
  #leave(): void {
    if (this.#isClosed) return
    if (this.#isStarted && this.#peerFinish !== kindGone) this.#wire.publish(this.#seal(kindGone, 0))
    this.#close()
  }

  #close(): void {
    this.#isClosed = true
    this.#queue.clear()
    this.#backlog.clear()
    this.#sent = this.#acknowledged
    this.#wire.release()
    this.#closed.resolve()
    this.#resolveDrained()
  }

  #resolveDrained(): void {
    if (this.#drainWaiters.length === 0 || this.waiting > 0) return
    const waiters = this.#drainWaiters
    this.#drainWaiters = []
    for (const resolve of waiters) resolve()
  }
}

/** Links that send at the end of this turn of the event loop. */
let scheduled: Link[] = []

function flushScheduled(): void {
  const links = scheduled
  scheduled = []
  for (const link of links) link.flush()
}
