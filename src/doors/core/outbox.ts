// The bounded outbox of one client. While the client reads, frames go straight to its stream; while it does not, they
// are kept and joined here up to a limit. What happens at the limit is the door's policy:
// - pause: the door looks at `isFull` and offers no more until `emptied` (a `SessionWatch` does that by itself);
// - close or drop: `onOverflow` closes the connection, or drops frames that a later resync replaces.

export interface ClientStream<Frame> {
  write(frame: Frame): void
  /** The client does not keep up: what comes next is kept back. */
  readonly isBehind: boolean
  /** Resolves when the client has read more, or never will. */
  drained(): Promise<unknown>
  readonly closed: Promise<void>
}

/** Ends a connection whose client may still be sending: it gets a moment to read before the connection is cut. */
export function endWithin(
  connection: { end(): void; destroy(): void; readonly closed: Promise<void> },
  closeMs: number,
): void {
  connection.end()
  const deadline = setTimeout(() => connection.destroy(), closeMs)
  void connection.closed.then(() => clearTimeout(deadline))
}

/** Replies answer a request of the client; updates tell what happens in a session. They have separate limits. */
export type FrameKind = "reply" | "update"

export interface Amount {
  readonly frames: number
  readonly bytes: number
}

export interface OutboxOptions<Frame> {
  readonly limits: Readonly<Record<FrameKind, Amount>>
  /** Bytes, or any other measure in which the limits count. */
  readonly sizeOf: (frame: Frame) => number
  /** One frame for two that follow each other; undefined where they cannot be joined. */
  readonly join?: (previous: Frame, next: Frame) => Frame | undefined
  /** The frames of this kind have reached their limit. Called with every further frame until there is room. */
  readonly onOverflow?: (kind: FrameKind) => void
  /** Called when a client that is behind has read nothing for `afterMs`. */
  readonly stalled?: { readonly afterMs: number; readonly onStalled: () => void }
  /** Everything that was kept has been written. */
  readonly onEmptied?: () => void
}

interface KeptFrame<Frame> {
  frame: Frame
  readonly kind: FrameKind
  size: number
}

/** A stream that drains and stays behind, as a dying socket may, must not block the event loop: past it the loop yields. */
const MAX_IDLE_ROUNDS = 1000

export class Outbox<Frame> {
  readonly #stream: ClientStream<Frame>
  readonly #options: OutboxOptions<Frame>
  #kept: KeptFrame<Frame>[] = []
  #amounts = noAmounts()
  #emptying: Promise<void> | undefined
  #isStopped = false

  constructor(stream: ClientStream<Frame>, options: OutboxOptions<Frame>) {
    this.#stream = stream
    this.#options = options
    void stream.closed.then(() => this.stop())
  }

  offer(frame: Frame, kind: FrameKind = "update"): void {
    if (this.#isStopped) return
    if (this.#kept.length === 0 && !this.#stream.isBehind) {
      this.#stream.write(frame)
      if (this.#stream.isBehind) void this.emptied()
      return
    }
    this.#keep(frame, kind)
    void this.emptied()
    if (this.isFull(kind)) this.#options.onOverflow?.(kind)
  }

  /** The client is behind, and as much is kept for it as may be. */
  isFull(kind: FrameKind = "update"): boolean {
    if (!this.#stream.isBehind && this.#kept.length === 0) return false
    const [amount, limit] = [this.#amounts[kind], this.#options.limits[kind]]
    return amount.frames >= limit.frames || amount.bytes >= limit.bytes
  }

  kept(kind: FrameKind = "update"): Amount {
    return this.#amounts[kind]
  }

  get keptFrames(): readonly Frame[] {
    return this.#kept.map(({ frame }) => frame)
  }

  /** Resolves when the client has read what was kept for it, or is gone. */
  emptied(): Promise<void> {
    if (this.#emptying === undefined && this.#kept.length === 0 && !this.#stream.isBehind) return Promise.resolve()
    return (this.#emptying ??= this.#empty())
  }

  drop(isDropped: (frame: Frame) => boolean): void {
    this.#kept = this.#kept.filter(({ frame }) => !isDropped(frame))
    this.#amounts = noAmounts()
    for (const { kind, size } of this.#kept) this.#count(kind, 1, size)
  }

  /** Hands over everything now, whether the client reads or not: only before the connection is closed. */
  flush(): void {
    for (const { frame } of this.#kept) this.#stream.write(frame)
    this.#kept = []
    this.#amounts = noAmounts()
  }

  /** Drops what is kept and accepts nothing more. */
  stop(): void {
    this.#isStopped = true
    this.#kept = []
    this.#amounts = noAmounts()
  }

  #keep(frame: Frame, kind: FrameKind): void {
    const size = this.#options.sizeOf(frame)
    const last = this.#kept.at(-1)
    const joined = last?.kind === kind ? this.#options.join?.(last.frame, frame) : undefined
    if (last === undefined || joined === undefined) this.#kept.push({ frame, kind, size })
    else {
      last.frame = joined
      last.size += size
    }
    this.#count(kind, joined === undefined ? 1 : 0, size)
  }

  #count(kind: FrameKind, frames: number, bytes: number): void {
    const amount = this.#amounts[kind]
    amount.frames += frames
    amount.bytes += bytes
  }

  async #empty(): Promise<void> {
    let idleRounds = 0
    do {
      await this.#drained()
      idleRounds = this.#writeKept() === 0 ? idleRounds + 1 : 0
      if (idleRounds > MAX_IDLE_ROUNDS) await new Promise((resolve) => setImmediate(resolve))
    } while (!this.#isStopped && (this.#stream.isBehind || this.#kept.length > 0))
    this.#emptying = undefined
    if (!this.#isStopped) this.#options.onEmptied?.()
  }

  async #drained(): Promise<void> {
    const { stalled } = this.#options
    const deadline = stalled === undefined ? undefined : setTimeout(stalled.onStalled, stalled.afterMs).unref()
    await this.#stream.drained()
    clearTimeout(deadline)
  }

  #writeKept(): number {
    let written = 0
    for (const { frame, kind, size } of this.#kept) {
      if (this.#stream.isBehind) break
      this.#stream.write(frame)
      this.#count(kind, -1, -size)
      written += 1
    }
    this.#kept.splice(0, written)
    return written
  }
}

function noAmounts(): Record<FrameKind, { frames: number; bytes: number }> {
  return { reply: { frames: 0, bytes: 0 }, update: { frames: 0, bytes: 0 } }
}
