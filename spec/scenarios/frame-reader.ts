// The frames of one connection in order. Sent and received frames are logged for the failure report, and waiting has a
// timeout.
import type { JsonObject } from "../../src/contract/json-object.ts"
import type { JsonValue } from "../../src/contract/values.ts"
import { shown, Unexpected } from "./failure.ts"
import type { Wire } from "./worlds/world.ts"

/** Far longer than any step should take. */
const TIMEOUT_MS = 30_000

export class FrameReader {
  readonly wire: Wire
  readonly #journal: string[]
  readonly #name: string
  #next = 0

  constructor(wire: Wire, journal: string[], name = "") {
    this.wire = wire
    this.#journal = journal
    this.#name = name
  }

  async send(frame: JsonValue): Promise<void> {
    this.#note("->", frame)
    await this.wire.send(frame)
  }

  async next(expected: string): Promise<JsonObject> {
    const frame = await withTimeout(this.wire.frame(this.#next), expected)
    this.#next += 1
    this.#note("<-", frame)
    return frame
  }

  /** How the peer closed it. Fails if there is an unread frame. */
  async ended(): Promise<JsonValue> {
    const ended = await withTimeout(this.wire.ended, "the end of the connection")
    const more = await this.wire.frame(this.#next).catch(() => undefined)
    if (more !== undefined) throw new Unexpected("the end of the connection", shown(more))
    this.#note("<-", `closed ${JSON.stringify(ended)}`)
    return ended
  }

  #note(arrow: string, frame: JsonValue): void {
    this.#journal.push(`${this.#name}${arrow} ${typeof frame === "string" ? frame : shown(frame)}`)
  }
}

async function withTimeout<Value>(work: Promise<Value>, expected: string): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timeout = setTimeout(() => reject(new Unexpected(expected, `nothing for ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS)
  try {
    return await Promise.race([work, promise])
  } catch (error) {
    throw error instanceof Unexpected ? error : new Unexpected(expected, messageOf(error))
  } finally {
    clearTimeout(timeout)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
