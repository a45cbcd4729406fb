// What every guest has: a connection that is listened to, names for what it asks, and a way to come back.
import type { JsonObject } from "../../../src/contract/json-object.ts"
import type { FrameReader } from "../frame-reader.ts"
import type { Happening } from "./client.ts"
import { Hearing } from "./hearing.ts"

/** A new connection to the door. */
export type Connect = () => Promise<FrameReader>

export abstract class Listener {
  sessionId = ""
  /** Requests whose answer says nothing more. */
  protected readonly acknowledged = new Set<string>()
  readonly #connect: Connect
  #hearing: Hearing | undefined
  #ids = 0

  constructor(connect: Connect) {
    this.#connect = connect
  }

  protected get hearing(): Hearing {
    if (this.#hearing === undefined) throw new Error("the guest has not come in yet")
    return this.#hearing
  }

  next(expected: string): Promise<Happening> {
    return this.hearing.next(expected)
  }

  putBack(happening: Happening): void {
    this.hearing.putBack(happening)
  }

  leave(): Promise<void> {
    return this.hearing.close()
  }

  /** The first time, too. */
  async comeBack(): Promise<void> {
    this.#hearing = new Hearing(await this.#connect(), (frame) => this.meaning(frame))
    await this.comeIn()
  }

  /** What is said first on a connection. */
  protected abstract comeIn(): Promise<void>

  protected abstract meaning(frame: JsonObject): readonly Happening[] | undefined

  protected newId(): string {
    this.#ids += 1
    return `request-${this.#ids}`
  }
}
