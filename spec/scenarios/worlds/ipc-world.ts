// `turnhouse agent`: a process for one session, and viewers at its socket.
import type { JsonObject } from "../../../src/contract/json-object.ts"
import type { JsonValue } from "../../../src/contract/values.ts"
import type { Place } from "../../e2e/place.ts"
import { object } from "../../e2e/printed.ts"
import type { Running } from "../../e2e/running.ts"
import { RawViewer } from "../../ipc/raw-viewer.ts"
import type { RestartHow } from "../scenario.ts"
import { asJson, end, lineOf, type Wire, type World } from "./world.ts"

export class IpcWorld implements World {
  readonly place: Place
  #running: Running | undefined
  #sessionId: string | undefined
  #socket = ""

  constructor(place: Place) {
    this.place = place
  }

  async start(): Promise<void> {
    const which = this.#sessionId === undefined ? [] : [this.#sessionId]
    this.#running = this.place.start(["agent", "--json", ...which])
    const { id, socket } = object((await this.#running.lineNumber(1)).text)
    this.#sessionId = String(id)
    this.#socket = String(socket)
  }

  async connect(): Promise<Wire> {
    return new IpcWire(await RawViewer.connect(this.#socket))
  }

  async restart(how: RestartHow): Promise<void> {
    await end(this.#running, how)
    await this.start()
  }

  close(): Promise<void> {
    return end(this.#running, "kill")
  }
}

class IpcWire implements Wire {
  readonly #viewer: RawViewer

  constructor(viewer: RawViewer) {
    this.#viewer = viewer
  }

  get ended(): Promise<JsonValue> {
    return this.#viewer.closed.then(() => ({}))
  }

  send(frame: JsonValue): Promise<void> {
    return this.#viewer.send(lineOf(frame))
  }

  /** The answer to the handshake is the first. */
  async frame(number: number): Promise<JsonObject> {
    if (number === 0) return asJson(await this.#viewer.response())
    return asJson(await this.#viewer.until("another frame", () => true, number - 1))
  }

  async close(): Promise<void> {
    this.#viewer.socket.destroy()
    await this.#viewer.closed
  }
}
