// Common to all clients: the connection, request ids and reconnecting.
import type { JsonObject } from "../../../src/contract/json-object.ts"
import type { FrameReader } from "../frame-reader.ts"
import type { Observation } from "./client.ts"
import { FrameInterpreter } from "./frame-interpreter.ts"

/** A new connection to the door. */
export type Connect = () => Promise<FrameReader>

export abstract class ClientBase {
  sessionId = ""
  /** Requests whose responses are ignored. */
  protected readonly acknowledged = new Set<string>()
  readonly #connect: Connect
  #frames: FrameInterpreter | undefined
  #ids = 0

  constructor(connect: Connect) {
    this.#connect = connect
  }

  protected get frames(): FrameInterpreter {
    if (this.#frames === undefined) throw new Error("the client is not connected")
    return this.#frames
  }

  next(expected: string): Promise<Observation> {
    return this.frames.next(expected)
  }

  putBack(observation: Observation): void {
    this.frames.putBack(observation)
  }

  leave(): Promise<void> {
    return this.frames.close()
  }

  /** Also for the first connection. */
  async connect(): Promise<void> {
    this.#frames = new FrameInterpreter(await this.#connect(), (frame) => this.interpret(frame))
    await this.openSession()
  }

  /** Sends the first frames of a connection. */
  protected abstract openSession(): Promise<void>

  protected abstract interpret(frame: JsonObject): readonly Observation[] | undefined

  protected newId(): string {
    this.#ids += 1
    return `request-${this.#ids}`
  }
}
