// Plays a frame scenario: frames to send, and the exact frames to receive, by connection.
import { textIn, type JsonObject } from "../../src/contract/json-object.ts"
import type { JsonValue } from "../../src/contract/values.ts"
import { shown, Unexpected } from "./failure.ts"
import type { FrameReader } from "./frame-reader.ts"
import { fill, fit, type Captures, type Fit } from "./matching.ts"
import { playWorkspaceStep } from "./play-workspace.ts"
import type { DoorName, FrameStep, RestartHow } from "./scenario.ts"
import type { World } from "./worlds/world.ts"

const first = "a"

/** A request that is valid at any time and is answered after all earlier frames. */
const fences: Readonly<Record<DoorName, { readonly ask: JsonObject; readonly answer: JsonObject }>> = {
  ws: { ask: { action: "ping", requestId: "fence" }, answer: { type: "pong", requestId: "fence", "...": "<any>" } },
  rpc: { ask: { type: "get_state", id: "fence" }, answer: { type: "response", id: "fence", "...": "<any>" } },
  ipc: { ask: { type: "sync_request" }, answer: { type: "conversation_sync", "...": "<any>" } },
  house: {
    ask: { type: "query", id: "fence", query: { type: "host" } },
    answer: { type: "answer", id: "fence", "...": "<any>" },
  },
}

export class FramePlayer {
  readonly #world: World
  readonly #connect: (name: string) => Promise<FrameReader>
  readonly #readers = new Map<string, FrameReader>()
  readonly #over = new Set<string>()
  #captures: Captures

  constructor(world: World, connect: (name: string) => Promise<FrameReader>, names: Captures) {
    this.#world = world
    this.#connect = connect
    this.#captures = names
  }

  async begin(): Promise<void> {
    await this.#open(first)
  }

  async play(step: FrameStep): Promise<void> {
    if ("write" in step || "file" in step) return playWorkspaceStep(step, this.#world.place)
    if ("restart" in step) return this.#restart(step.restart)
    if ("connect" in step) return this.#open(step.connect)
    const name = step.to ?? first
    if ("close" in step || "closed" in step) return this.#close(name, step)
    const reader = this.#reader(name)
    if ("send" in step) return reader.send(fill(step.send, this.#captures))
    if ("expect" in step) return this.#expect(step.expect, reader)
    if ("many" in step) return this.#many(step.many, step.joined, reader)
    return this.#all(step.all, reader)
  }

  /** Fails if an open connection has received a frame that no step expects. */
  async settle(door: DoorName): Promise<void> {
    const { ask, answer } = fences[door]
    for (const [name, reader] of this.#readers) {
      if (this.#over.has(name)) continue
      await reader.send(ask)
      const frame = await reader.next("nothing more")
      if (fit(answer, frame, this.#captures).kind === "differs") throw new Unexpected("nothing more", shown(frame))
    }
  }

  async #open(name: string): Promise<void> {
    this.#readers.set(name, await this.#connect(name))
    this.#over.delete(name)
  }

  /** Closes all connections; later steps can only check how they ended. */
  async #restart(how: RestartHow): Promise<void> {
    await this.#world.restart(how)
    for (const name of this.#readers.keys()) this.#over.add(name)
  }

  async #close(name: string, step: { readonly close: true } | { readonly closed: JsonValue }): Promise<void> {
    const reader = this.#reader(name)
    this.#over.add(name)
    if ("close" in step) return reader.wire.close()
    const ended = await reader.ended()
    this.#take(fit(step.closed, ended, this.#captures), step.closed, ended)
  }

  #reader(name: string): FrameReader {
    const reader = this.#readers.get(name)
    if (reader === undefined)
      throw new Error(`no connection named "${name}"; open it with a step {"connect": "${name}"}`)
    return reader
  }

  async #expect(expected: JsonObject, reader: FrameReader): Promise<void> {
    const frame = await reader.next(shown(expected))
    this.#take(fit(expected, frame, this.#captures), expected, frame)
  }

  async #many(expected: JsonObject, joined: Readonly<Record<string, string>>, reader: FrameReader): Promise<void> {
    const left = new Map(Object.entries(joined))
    while ([...left.values()].some((text) => text !== "")) {
      const frame = await reader.next(shown(expected))
      const compared = fit(expected, frame, this.#captures)
      if (compared.kind === "differs") throw different(compared, expected, frame)
      for (const [member, text] of left) left.set(member, rest(text, textIn(frame, member) ?? "", member))
    }
  }

  async #all(expected: readonly JsonObject[], reader: FrameReader): Promise<void> {
    let left = [...expected]
    while (left.length > 0) {
      const frame = await reader.next(left.map(shown).join(", or "))
      const found = left.find((one) => fit(one, frame, this.#captures).kind === "fits")
      if (found === undefined) throw new Unexpected(left.map(shown).join(", or "), shown(frame))
      this.#take(fit(found, frame, this.#captures), found, frame)
      left = left.filter((one) => one !== found)
    }
  }

  #take(compared: Fit, expected: JsonValue, received: JsonValue = null): void {
    if (compared.kind === "differs") throw different(compared, expected, received)
    this.#captures = compared.captures
  }
}

function different(compared: Extract<Fit, { kind: "differs" }>, expected: JsonValue, received: JsonValue): Unexpected {
  const where = compared.where === "" ? "the frame" : compared.where
  return new Unexpected(
    `${where}: ${compared.expected}, in ${shown(expected)}`,
    `${compared.received}, in ${shown(received)}`,
  )
}

function rest(text: string, piece: string, member: string): string {
  if (text.startsWith(piece)) return text.slice(piece.length)
  throw new Unexpected(`${member} that continues with ${JSON.stringify(text)}`, JSON.stringify(piece))
}
