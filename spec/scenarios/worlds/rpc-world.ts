// `turnhouse rpc`: the connection is the process. A second one continues the session of the first.
import type { JsonObject } from "../../../src/contract/json-object.ts"
import type { JsonValue } from "../../../src/contract/values.ts"
import type { Place } from "../../e2e/place.ts"
import { Wire as Child } from "../../rpc/wire.ts"
import type { RestartHow } from "../scenario.ts"
import { asJson, lineOf, type Wire, type World } from "./world.ts"

export class RpcWorld implements World {
  readonly place: Place
  #child: Child | undefined
  #sessionId: string | undefined

  constructor(place: Place) {
    this.place = place
  }

  async start(): Promise<void> {}

  async connect(): Promise<Wire> {
    const flags = this.#sessionId === undefined ? [] : ["--continue", this.#sessionId]
    const child = new Child(this.place, flags, { extended: true })
    this.#child = child
    this.#sessionId = (await child.ready()).session_id
    return new RpcWire(child)
  }

  async restart(how: RestartHow): Promise<void> {
    this.#child?.signal(how === "kill" ? "SIGKILL" : "SIGTERM")
    await this.#child?.ended
  }

  async close(): Promise<void> {
    this.#child?.signal("SIGKILL")
    await this.#child?.ended.catch(() => {}) // the waiting step has already failed with its fault
  }
}

class RpcWire implements Wire {
  readonly #child: Child

  constructor(child: Child) {
    this.#child = child
  }

  get ended(): Promise<JsonValue> {
    return this.#child.ended.then(({ code }) => ({ code }))
  }

  send(frame: JsonValue): Promise<void> {
    return this.#child.send(lineOf(frame))
  }

  async frame(number: number): Promise<JsonObject> {
    return asJson(await this.#child.until("another frame", () => true, number))
  }

  async close(): Promise<void> {
    this.#child.endInput()
    await this.#child.ended
  }
}
