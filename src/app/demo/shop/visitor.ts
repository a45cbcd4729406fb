// A visitor of the shop: a client of the WebSocket API over a connection that can be cut. Keeps every frame that it gets.
import { connect, type ClientSession, type Turn, type TurnEvent } from "../../../clients/ws/index.ts"
import type { WebSocketClass } from "../../../clients/ws/connection/text-socket.ts"
import { Relay } from "./relay.ts"

export const visitorEmail = "jane@example.com"
/** Frames of a story are some hundred; a visitor of one keeps no more. */
const MAX_FRAMES = 100_000

export class Visitor {
  readonly session: ClientSession
  readonly relay: Relay
  readonly #frames: readonly string[]

  static async connect(server: string): Promise<Visitor> {
    const relay = await Relay.open(Number(new URL(server).port))
    const frames: string[] = []
    const session = await connect(`ws://127.0.0.1:${relay.port}/ws`, {
      agentId: "shop",
      userName: "Jane",
      userEmail: visitorEmail,
      WebSocket: recording(frames),
      reconnect: { attempts: 10_000, firstMs: 100, maxMs: 1000 }, // a person may take long to approve
    })
    return new Visitor(session, relay, frames)
  }

  private constructor(session: ClientSession, relay: Relay, frames: readonly string[]) {
    this.session = session
    this.relay = relay
    this.#frames = frames
  }

  /** How many frames so far contain the text. */
  framesWith(text: string): number {
    return this.#frames.filter((frame) => frame.includes(text)).length
  }

  get frameCount(): number {
    return this.#frames.length
  }

  async close(): Promise<void> {
    await this.session.close()
    this.relay.close()
  }
}

/** The first such event of a turn; undefined when the turn ends without it. Other events are dropped. */
export async function firstOf<Type extends TurnEvent["type"]>(
  turn: Turn,
  type: Type,
): Promise<Extract<TurnEvent, { type: Type }> | undefined> {
  const isWanted = (event: TurnEvent): event is Extract<TurnEvent, { type: Type }> => event.type === type
  for await (const event of turn) if (isWanted(event)) return event
  return undefined
}

function recording(frames: string[]): WebSocketClass {
  return class extends globalThis.WebSocket {
    constructor(url: string) {
      super(url)
      this.addEventListener("message", ({ data }) => {
        if (frames.length < MAX_FRAMES) frames.push(String(data))
      })
    }
  }
}
