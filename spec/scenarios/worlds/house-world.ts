// `turnhouse host` in the foreground, and clients at its control socket.
import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { JsonObject } from "../../../src/contract/json-object.ts"
import type { JsonValue } from "../../../src/contract/values.ts"
import { decodeHostFrame } from "../../../src/protocols/house/codec.ts"
import { houseLimits } from "../../../src/protocols/house/limits.ts"
import { LineSplitter, type Line } from "../../../src/transports/framing/lines.ts"
import { eventually } from "../../e2e/eventually.ts"
import { endHosts } from "../../e2e/hosts.ts"
import type { Place } from "../../e2e/place.ts"
import type { Running } from "../../e2e/running.ts"
import { connected, openAndClose, type RawSocket } from "../../ipc/raw-socket.ts"
import type { RestartHow } from "../scenario.ts"
import { asJson, end, lineOf, type Wire, type World } from "./world.ts"

export class HouseWorld implements World {
  readonly place: Place
  #running: Running | undefined
  #before: readonly string[] = []
  #socket = ""

  constructor(place: Place) {
    this.place = place
  }

  async start(): Promise<void> {
    this.#running = this.place.start(["host"])
    await this.#listens()
  }

  async connect(): Promise<Wire> {
    return HouseWire.open(this.#socket)
  }

  /** A host that is killed starts its own successor, which writes to the same pipes. */
  async restart(how: RestartHow): Promise<void> {
    this.#before = this.#sockets()
    if (how === "leave") {
      await end(this.#running, how)
      return this.start()
    }
    this.#running?.signal("SIGKILL")
    await this.#listens()
  }

  close(): Promise<void> {
    return endHosts(this.place.home)
  }

  get #folder(): string {
    return join(this.place.home, "hosts")
  }

  async #listens(): Promise<void> {
    const isNew = (name: string) => name.endsWith(".sock") && !this.#before.includes(name)
    this.#socket = await eventually("the host listens", async () => {
      const name = this.#sockets().find(isNew)
      return name === undefined ? undefined : answering(join(this.#folder, name))
    })
  }

  #sockets(): readonly string[] {
    try {
      return readdirSync(this.#folder)
    } catch {
      return [] // no host has been there yet
    }
  }
}

/** The socket file exists shortly before the process accepts connections. */
async function answering(path: string): Promise<string | undefined> {
  try {
    await openAndClose(path)
    return path
  } catch {
    return undefined
  }
}

class HouseWire implements Wire {
  readonly #frames: JsonObject[] = []
  readonly #socket: RawSocket
  readonly #lines = new LineSplitter(houseLimits.lineBytes, (line) => this.#onLine(line))
  #fault: string | undefined

  static async open(path: string): Promise<HouseWire> {
    const wire: HouseWire = new HouseWire(await connected(path, (chunk) => wire.#lines.push(chunk)))
    return wire
  }

  private constructor(socket: RawSocket) {
    this.#socket = socket
  }

  get ended(): Promise<JsonValue> {
    return this.#socket.closed.then(() => ({}))
  }

  send(frame: JsonValue): Promise<void> {
    return this.#socket.send(lineOf(frame))
  }

  frame(number: number): Promise<JsonObject> {
    return this.#socket.until(
      () => this.#fault ?? "the connection is closed",
      () => this.#frames[number],
    )
  }

  async close(): Promise<void> {
    this.#socket.destroy()
    await this.#socket.closed
  }

  #onLine(line: Line): void {
    const received = line.kind === "line" ? decodeHostFrame(line.text) : undefined
    if (received?.kind === "frame") return void this.#frames.push(asJson(received.frame))
    this.#fault ??= `this is no frame of the house wire: ${line.kind === "line" ? line.text : line.kind}`
    this.#socket.destroy()
  }
}
