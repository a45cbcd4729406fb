// Interprets the frames of one connection: each is a response, an observation of the session, or irrelevant. An unknown
// frame fails the scenario.
import type { JsonObject } from "../../../src/contract/json-object.ts"
import type { JsonValue } from "../../../src/contract/values.ts"
import { shown, Unexpected } from "../failure.ts"
import type { FrameReader } from "../frame-reader.ts"
import type { Observation } from "./client.ts"

/** Returns undefined for an unknown frame. */
export type Interpret = (frame: JsonObject) => readonly Observation[] | undefined

/** Matches frames of this type. */
export function ofType(type: string): (frame: JsonObject) => JsonObject | undefined {
  return (frame) => (frame["type"] === type ? frame : undefined)
}

export class FrameInterpreter {
  readonly #reader: FrameReader
  readonly #interpret: Interpret
  readonly #observed: Observation[] = []

  constructor(reader: FrameReader, interpret: Interpret) {
    this.#reader = reader
    this.#interpret = interpret
  }

  say(frame: JsonValue): Promise<void> {
    return this.#reader.send(frame)
  }

  /** The first frame that `isIt` matches; observations before it are kept. */
  async answer<Found>(what: string, isIt: (frame: JsonObject) => Found | undefined): Promise<Found> {
    for (;;) {
      const frame = await this.#reader.next(what)
      const found = isIt(frame)
      if (found !== undefined) return found
      this.#interpretFrame(frame, what)
    }
  }

  async next(expected: string): Promise<Observation> {
    for (;;) {
      const observation = this.#observed.shift()
      if (observation !== undefined) return observation
      this.#interpretFrame(await this.#reader.next(expected), expected)
    }
  }

  putBack(observation: Observation): void {
    this.#observed.unshift(observation)
  }

  /** Observations that were not read. */
  get rest(): readonly Observation[] {
    return this.#observed
  }

  close(): Promise<void> {
    return this.#reader.wire.close()
  }

  #interpretFrame(frame: JsonObject, expected: string): void {
    const observations = this.#interpret(frame)
    if (observations === undefined) throw new Unexpected(expected, shown(frame))
    this.#observed.push(...observations)
  }
}
