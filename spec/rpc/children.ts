// Children for tests: one for a single test, or one that the tests of a describe share. However a test ends, its child has
// exited before its folder is removed.
import { afterAll, beforeAll, type TestContext } from "vitest"
import type { Script, Step } from "../../src/models/offline/part.ts"
import { newPlace, sharedPlace, type Place } from "../e2e/turnhouse.ts"
import { Wire, type Frame, type Response, type WireOptions } from "./wire.ts"

type Test = Pick<TestContext, "onTestFinished">

/** A child that may not be ready yet. */
export function startChild(test: Test, place: Place, args: readonly string[] = [], options?: WireOptions): Wire {
  const wire = new Wire(place, args, options)
  test.onTestFinished(async () => {
    wire.signal("SIGKILL")
    await wire.ended.catch(() => {}) // a test that cares has waited for it
  })
  return wire
}

/** A child of its own for one test, ready. */
export async function readyChild(test: Test, args: readonly string[] = [], place = newPlace(test)): Promise<Child> {
  const wire = startChild(test, place, args)
  await wire.ready()
  return new Child(wire, place)
}

/** A child for all tests of a describe. It must exit with code 0 when they are over. */
export function sharedChild(args: readonly string[] = []): Child {
  const place = sharedPlace()
  const child = new Child(undefined, place)
  beforeAll(async () => {
    child.wire = new Wire(place, args)
    await child.wire.ready()
  })
  afterAll(async () => {
    const tooLate = setTimeout(() => child.wire.signal("SIGKILL"), 30_000)
    const end = await child.wire.shutdown()
    clearTimeout(tooLate)
    if (end.code !== 0) throw new Error(`the child left with ${end.code}\n${end.stderr}`)
  })
  return child
}

export class Child {
  readonly place: Place
  #wire: Wire | undefined
  #ids = 0

  constructor(wire: Wire | undefined, place: Place) {
    this.#wire = wire
    this.place = place
  }

  get wire(): Wire {
    if (this.#wire === undefined) throw new Error("the child has not been started")
    return this.#wire
  }

  set wire(wire: Wire) {
    this.#wire = wire
  }

  nextId(): string {
    this.#ids += 1
    return `id-${this.#ids}`
  }

  /** Starts an empty session whose model answers with this script. */
  async useScript(steps: readonly Step[], settings: Omit<Script, "steps"> = {}): Promise<void> {
    const model = this.place.script(steps, settings, `script-${this.nextId()}.json`)
    await this.ask("new_session")
    await this.ask("set_model", { model })
  }

  ask(type: string, fields: object = {}): Promise<Response> {
    return this.wire.ask({ type, id: this.nextId(), ...fields })
  }

  /** Begins a turn. */
  async prompt(message: string, fields: object = {}): Promise<StartedTurn> {
    const id = this.nextId()
    const from = this.wire.frames.length
    await this.wire.send({ type: "prompt", id, message, ...fields })
    return new StartedTurn(this.wire, id, from)
  }

  /** A whole turn: all its frames, the response last. */
  async turn(message: string, fields: object = {}): Promise<readonly Frame[]> {
    return (await this.prompt(message, fields)).closed()
  }

  /** The response shows that the child still works. */
  async state(): Promise<Response> {
    return this.ask("get_state")
  }

  async messages(): Promise<readonly unknown[]> {
    const { messages } = await this.ask("get_messages")
    return Array.isArray(messages) ? messages : []
  }
}

/** A turn that a prompt has started. */
export class StartedTurn {
  readonly id: string
  readonly #wire: Wire
  readonly #from: number

  constructor(wire: Wire, id: string, from: number) {
    this.#wire = wire
    this.id = id
    this.#from = from
  }

  /** All frames since the prompt, up to its response. */
  async closed(): Promise<readonly Frame[]> {
    const response = await this.#wire.response(this.id, this.#from)
    return this.#wire.frames.slice(this.#from, this.#wire.frames.indexOf(response, this.#from) + 1)
  }

  /** The first frame since the prompt that matches. */
  until(what: string, look: (frame: Frame) => boolean): Promise<Frame> {
    return this.#wire.until(what, look, this.#from)
  }

  /** Resolves when its text so far contains this. */
  async receivesText(text: string): Promise<void> {
    let received = ""
    await this.until(`the text '${text}'`, (frame) => {
      received += textOf([frame])
      return received.includes(text)
    })
  }
}

/** Short names of frames: the inner type for a message update, else the type. */
export function names(frames: readonly Frame[]): readonly string[] {
  return frames.map((frame) => (frame.type === "message_update" ? frame.event.type : frame.type))
}

export function textOf(frames: readonly Frame[]): string {
  return deltas(frames, "text_delta").join("")
}

export function deltas(frames: readonly Frame[], type: "text_delta" | "thinking_delta"): readonly string[] {
  return frames.flatMap((frame) =>
    frame.type === "message_update" && frame.event.type === type ? [frame.event.delta] : [],
  )
}

export function of<Type extends Frame["type"]>(
  frames: readonly Frame[],
  type: Type,
): readonly Extract<Frame, { type: Type }>[] {
  return frames.filter((frame): frame is Extract<Frame, { type: Type }> => frame.type === type)
}
