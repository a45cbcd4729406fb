// Reads the answer of a provider: bytes to events, events to parts. An event that is not known here, an unusual end and
// a broken connection go to the provider's package: it gets the events so far and continues, and what it repeats of the
// parts is left out. So there is one place that decides what an unusual answer means.
import { setTimeout as pause } from "node:timers/promises"
import { ModelFault } from "../faults.ts"
import type { ByteSource } from "../http/byte-source.ts"
import { EventSource } from "./event-source.ts"
import type { EventMapper, Part } from "./formats/event-mapper.ts"
import type { PartBatches } from "./part-stream.ts"
import { brokenBody, replayedBody } from "./replayed-body.ts"

/** Gives a body to the package, as the answer to the same call. */
export type TakeOver = (body: ReadableStream<Uint8Array>) => Promise<ReadableStream<Part>>

export interface AnswerSourceOptions {
  readonly bytes: ByteSource
  readonly mapper: EventMapper
  readonly takeOver: TakeOver
}

/** How long an error may follow an accepted request to count as its refusal; as in the package. */
const GRACE_MS = 50

export class AnswerSource implements PartBatches {
  readonly #events: EventSource
  readonly #mapper: EventMapper
  readonly #takeOver: TakeOver
  /** What the package warns of is shown nowhere. */
  #parts: Part[] = [{ type: "stream-start", warnings: [] }]
  /** The read that was under way when the answer was opened. */
  #pending: Promise<void> | undefined
  #package: ReadableStreamDefaultReader<Part> | undefined
  #fault: { readonly reason: unknown } | undefined
  #isOpen = false
  #isEnded = false

  constructor({ bytes, mapper, takeOver }: AnswerSourceOptions) {
    this.#events = new EventSource(bytes)
    this.#mapper = mapper
    this.#takeOver = takeOver
  }

  /** Resolves when the request is no longer refused. Throws what the package throws for a refusal in the stream. */
  async open(): Promise<void> {
    while (this.#isOpening("waiting")) await this.#read()
    while (this.#isOpening("accepted")) {
      const read = this.#read()
      if (!(await settlesInTime(read))) {
        this.#pending = read
        break
      }
    }
    this.#isOpen = true
    if (this.#fault !== undefined) throw this.#fault.reason
  }

  async next(): Promise<readonly Part[] | undefined> {
    while (this.#parts.length === 0) {
      if (this.#fault !== undefined) throw this.#fault.reason
      if (this.#isEnded) return undefined
      const read = this.#pending ?? this.#read()
      this.#pending = undefined
      await read
    }
    const parts = this.#parts
    this.#parts = []
    return parts
  }

  async cancel(reason: unknown): Promise<void> {
    this.#isEnded = true
    this.#parts = []
    // The package passes a cancellation on, but later.
    await Promise.all([this.#package?.cancel(reason), this.#events.cancel(reason)])
  }

  #isOpening(readiness: EventMapper["readiness"]): boolean {
    const isOver = this.#isEnded || this.#fault !== undefined || this.#package !== undefined
    return !isOver && this.#mapper.readiness === readiness
  }

  /** Appends the parts of the next bytes, which may complete none. Never throws. */
  async #read(): Promise<void> {
    let isReceiving = false
    try {
      if (this.#package !== undefined) return await this.#readPart(this.#package)
      isReceiving = true
      const read = await this.#events.read()
      isReceiving = false
      if (this.#isEnded) return // cancelled
      if (read.done) return await this.#end()
      const events = this.#events.split(read.value)
      const unknown = this.#map(events)
      if (unknown !== undefined) await this.#handOver(events.slice(unknown))
    } catch (reason) {
      const isBroken = isReceiving && !(reason instanceof ModelFault)
      this.#fault = { reason: isBroken ? await this.#explained(reason) : reason }
    }
  }

  /** The index of the first event that is not known here. */
  #map(events: readonly string[]): number | undefined {
    let at = 0
    for (const event of events) {
      const before = this.#parts.length
      if (!this.#mapper.accept(event, this.#parts)) {
        this.#parts.length = before
        return at
      }
      at += 1
    }
    return undefined
  }

  async #end(): Promise<void> {
    const before = this.#parts.length
    if (this.#mapper.end(this.#parts)) {
      this.#isEnded = true
      return
    }
    this.#parts.length = before
    await this.#handOver([])
  }

  async #handOver(rest: readonly string[]): Promise<void> {
    const { replay } = this.#mapper
    const events = replay.events()
    if (events === undefined)
      throw new ModelFault("The provider's answer has an unknown event, and is too long to be read again.")
    // An error that comes after the call was answered must not refuse it.
    const { promise, resolve } = Promise.withResolvers<void>()
    const opened = this.#isOpen ? promise : Promise.resolve()
    const stream = await this.#takeOver(replayedBody({ events, rest, source: this.#events, opened })).finally(resolve)
    this.#package = stream.getReader()
    if (this.#isEnded) return this.#package.cancel()
    const delivered = 1 + replay.parts
    for (let n = 0; n < delivered && !this.#isEnded; n++) this.#isEnded = (await this.#package.read()).done
  }

  async #readPart(reader: ReadableStreamDefaultReader<Part>): Promise<void> {
    const { done, value } = await reader.read()
    if (done) this.#isEnded = true
    else if (!this.#isEnded) this.#parts.push(value)
  }

  /** What the package throws where its connection breaks. */
  async #explained(reason: unknown): Promise<unknown> {
    try {
      const reader = (await this.#takeOver(brokenBody(reason))).getReader()
      while (!(await reader.read()).done);
      return reason
    } catch (explained) {
      return explained
    }
  }
}

async function settlesInTime(read: Promise<void>): Promise<boolean> {
  const timer = new AbortController()
  const late = pause(GRACE_MS, false, { signal: timer.signal })
  late.catch(() => {}) // stopped below
  try {
    return await Promise.race([read.then(() => true), late])
  } finally {
    timer.abort()
  }
}
