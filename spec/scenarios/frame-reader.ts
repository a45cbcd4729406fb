// The frames of one connection, one after another. What goes out and comes in is noted in the journal of the scenario.
// Waiting has an end: a scenario that waits for what never comes says so instead of hanging.
import type { JsonObject } from "../../src/contract/json-object.ts"
import type { JsonValue } from "../../src/contract/values.ts"
import { shown, Unexpected } from "./failure.ts"
import type { Wire } from "./worlds/world.ts"

/** Far beyond what anything here should take. */
const patienceMs = 30_000

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
    const frame = await inTime(this.wire.frame(this.#next), expected)
    this.#next += 1
    this.#note("<-", frame)
    return frame
  }

  /** How the other side ended it; a frame that came before and was not read is one too many. */
  async ended(): Promise<JsonValue> {
    const ended = await inTime(this.wire.ended, "the end of the connection")
    const more = await this.wire.frame(this.#next).catch(() => undefined)
    if (more !== undefined) throw new Unexpected("the end of the connection", shown(more))
    this.#note("<-", `closed ${JSON.stringify(ended)}`)
    return ended
  }

  #note(arrow: string, frame: JsonValue): void {
    this.#journal.push(`${this.#name}${arrow} ${typeof frame === "string" ? frame : shown(frame)}`)
  }
}

async function inTime<Value>(wanted: Promise<Value>, expected: string): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  const patience = setTimeout(() => reject(new Unexpected(expected, `nothing for ${patienceMs / 1000} s`)), patienceMs)
  try {
    return await Promise.race([wanted, promise])
  } catch (error) {
    throw error instanceof Unexpected ? error : new Unexpected(expected, messageOf(error))
  } finally {
    clearTimeout(patience)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
