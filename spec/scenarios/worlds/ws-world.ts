// `turnhouse serve` and its sockets.
import { WebSocket } from "ws"
import type { JsonObject } from "../../../src/contract/json-object.ts"
import type { JsonValue } from "../../../src/contract/values.ts"
import { checkServerEvent } from "../../../src/protocols/ws/generated/events.js"
import type { Place } from "../../e2e/place.ts"
import type { Running } from "../../e2e/running.ts"
import type { RestartHow } from "../scenario.ts"
import { asJson, end, type Wire, type World } from "./world.ts"

export class WsWorld implements World {
  readonly place: Place
  #running: Running | undefined
  #address = ""

  constructor(place: Place) {
    this.place = place
  }

  async start(): Promise<void> {
    const running = this.place.start(["serve", "--port", "0", "--quiet"])
    this.#running = running
    const found = () => /^listening on http:(\S+)$/m.exec(running.stdout)?.[1]
    this.#address = `ws:${await running.until("an address", found)}/ws`
  }

  async connect(): Promise<Wire> {
    const socket = new WebSocket(this.#address)
    const wire = new WsWire(socket)
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject))
    return wire
  }

  async restart(how: RestartHow): Promise<void> {
    await end(this.#running, how)
    await this.start()
  }

  close(): Promise<void> {
    return end(this.#running, "kill")
  }
}

class WsWire implements Wire {
  readonly ended: Promise<JsonValue>
  readonly #socket: WebSocket
  readonly #frames: JsonObject[] = []
  #fault: string | undefined
  #woken = Promise.withResolvers<void>()

  constructor(socket: WebSocket) {
    this.#socket = socket
    this.ended = new Promise((resolve) => {
      socket.on("close", (code, reason) => {
        this.#fault ??= `the socket was closed (${code} ${reason.toString()})`
        resolve({ code, reason: reason.toString() })
        this.#wake()
      })
    })
    socket.on("error", () => {}) // a close follows
    socket.on("message", (data: Buffer) => this.#onMessage(data.toString()))
  }

  async send(frame: JsonValue): Promise<void> {
    this.#socket.send(typeof frame === "string" ? frame : JSON.stringify(frame))
  }

  async frame(number: number): Promise<JsonObject> {
    for (;;) {
      const frame = this.#frames[number]
      if (frame !== undefined) return frame
      if (this.#fault !== undefined) throw new Error(this.#fault)
      await this.#woken.promise
    }
  }

  async close(): Promise<void> {
    this.#socket.close()
    await this.ended
  }

  #onMessage(text: string): void {
    const frame: unknown = JSON.parse(text)
    if (checkServerEvent(frame)) this.#frames.push(asJson(frame))
    else this.#fault ??= `no client of the protocol takes this frame: ${text}`
    this.#wake()
  }

  #wake(): void {
    this.#woken.resolve()
    this.#woken = Promise.withResolvers()
  }
}
