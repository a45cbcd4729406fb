// Listens to one connection: each frame is the answer to something that was asked, or means something that happens in
// the session, or means nothing on this level. A frame that is none of these fails the scenario.
import type { JsonObject } from "../../../src/contract/json-object.ts"
import type { JsonValue } from "../../../src/contract/values.ts"
import { shown, Unexpected } from "../failure.ts"
import type { FrameReader } from "../frame-reader.ts"
import type { Happening } from "./client.ts"

/** Nothing at all for a frame that nobody knows here. */
export type Meaning = (frame: JsonObject) => readonly Happening[] | undefined

/** For whoever waits for a frame of this type. */
export function ofType(type: string): (frame: JsonObject) => JsonObject | undefined {
  return (frame) => (frame["type"] === type ? frame : undefined)
}

export class Hearing {
  readonly #reader: FrameReader
  readonly #meaning: Meaning
  readonly #heard: Happening[] = []

  constructor(reader: FrameReader, meaning: Meaning) {
    this.#reader = reader
    this.#meaning = meaning
  }

  say(frame: JsonValue): Promise<void> {
    return this.#reader.send(frame)
  }

  /** The first frame that `isIt` takes; what comes before it is kept for later. */
  async answer<Found>(what: string, isIt: (frame: JsonObject) => Found | undefined): Promise<Found> {
    for (;;) {
      const frame = await this.#reader.next(what)
      const found = isIt(frame)
      if (found !== undefined) return found
      this.#understand(frame, what)
    }
  }

  async next(expected: string): Promise<Happening> {
    for (;;) {
      const happening = this.#heard.shift()
      if (happening !== undefined) return happening
      this.#understand(await this.#reader.next(expected), expected)
    }
  }

  putBack(happening: Happening): void {
    this.#heard.unshift(happening)
  }

  /** What was heard and nobody has looked at. */
  get rest(): readonly Happening[] {
    return this.#heard
  }

  close(): Promise<void> {
    return this.#reader.wire.close()
  }

  #understand(frame: JsonObject, expected: string): void {
    const happenings = this.#meaning(frame)
    if (happenings === undefined) throw new Unexpected(expected, shown(frame))
    this.#heard.push(...happenings)
  }
}
