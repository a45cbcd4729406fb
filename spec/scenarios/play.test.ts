// Wrong scenarios must fail and say why. Connections are in memory, with fixed frames.
import { describe, expect, it } from "vitest"
import { isJsonObject, type JsonObject } from "../../src/contract/json-object.ts"
import type { JsonValue } from "../../src/contract/values.ts"
import { Place } from "../e2e/place.ts"
import { failedAt, failureText } from "./failure.ts"
import { FrameReader } from "./frame-reader.ts"
import { connectClient } from "./clients/index.ts"
import { FramePlayer } from "./play-frames.ts"
import { playSessionStep, expectNothingMore } from "./play-session.ts"
import type { DoorName, FrameStep, SessionStep } from "./scenario.ts"
import type { Wire, World } from "./worlds/world.ts"

/** Answers each frame with some others. */
type Answers = (frame: JsonObject) => readonly JsonObject[]

class ScriptedWire implements Wire {
  readonly ended: Promise<JsonValue>
  readonly #frames: JsonObject[]
  readonly #answers: Answers
  readonly #over = Promise.withResolvers<JsonValue>()

  constructor(first: readonly JsonObject[], answers: Answers) {
    this.#frames = [...first]
    this.#answers = answers
    this.ended = this.#over.promise
  }

  async send(frame: JsonValue): Promise<void> {
    if (isJsonObject(frame)) this.#frames.push(...this.#answers(frame))
  }

  async frame(number: number): Promise<JsonObject> {
    const frame = this.#frames[number]
    if (frame === undefined) throw new Error("the connection is closed")
    return frame
  }

  async close(): Promise<void> {
    this.#over.resolve({ code: 1000 })
  }
}

function worldOf(wire: () => Wire): World {
  const nothing = async () => {}
  return { place: new Place(), start: nothing, connect: async () => wire(), restart: nothing, close: nothing }
}

const pong: Answers = ({ action }) => (action === "ping" ? [{ type: "pong", requestId: "fence" }] : [])

async function frames(steps: readonly FrameStep[], first: readonly JsonObject[], answers = pong): Promise<string> {
  const journal: string[] = []
  const world = worldOf(() => new ScriptedWire(first, answers))
  const player = new FramePlayer(world, async () => new FrameReader(await world.connect(), journal), new Map())
  let number = 0
  try {
    await player.begin()
    for (const step of steps) {
      number += 1
      await player.play(step)
    }
    await player.settle("ws")
    return "passed"
  } catch (error) {
    return failureText(failedAt(error, number, steps, journal))
  }
}

describe("a frame scenario", () => {
  const hello = { type: "hello", id: "7" }

  it("passes when every frame is as expected and none is left", async () => {
    expect(await frames([{ expect: hello }], [hello])).toBe("passed")
  })

  it("fails with the step, the expected and received frames, and the frames before", async () => {
    expect(await frames([{ send: { action: "x" } }, { expect: { type: "hello", id: "8" } }], [hello])).toBe(
      [
        'failed at step 2 of 2: {"expect":{"type":"hello","id":"8"}}',
        '  expected  id: "8", in {"type":"hello","id":"8"}',
        '  received  "7", in {"type":"hello","id":"7"}',
        "  the last frames (-> sent, <- received):",
        '    -> {"action":"x"}',
        '    <- {"type":"hello","id":"7"}',
      ].join("\n"),
    )
  })

  it("fails on an unexpected frame", async () => {
    const text = await frames([{ expect: hello }], [hello, { type: "surprise" }])
    expect(text).toContain('expected  nothing more\n  received  {"type":"surprise"}')
  })

  it("fails when the connection closes before the frame", async () => {
    expect(await frames([{ expect: hello }], [])).toContain(
      'expected  {"type":"hello","id":"7"}\n  received  the connection is closed',
    )
  })

  it("accepts a text in any number of matching pieces", async () => {
    const pieces = ["He", "l", "lo"].map((token) => ({ type: "token", token }))
    const many = (token: string): FrameStep => ({ many: { type: "token", token: "<string>" }, joined: { token } })
    expect(await frames([many("Hello")], pieces)).toBe("passed")
    expect(await frames([many("Hell")], pieces)).toContain('token that continues with "l"\n  received  "lo"')
    expect(await frames([many("Hello!")], [...pieces, hello])).toContain('expected  type: "token"')
  })

  it("accepts frames of `all` in any order, each once", async () => {
    const all: FrameStep = { all: [hello, { type: "bye" }] }
    expect(await frames([all], [{ type: "bye" }, hello])).toBe("passed")
    expect(await frames([all], [hello, hello])).toContain('expected  {"type":"bye"}')
  })

  it("fails for an unknown connection", async () => {
    expect(await frames([{ to: "b", send: {} }], [])).toContain('no connection named "b"')
  })

  it("checks how a connection ended", async () => {
    expect(await frames([{ connect: "b" }, { to: "b", close: true }, { to: "b", closed: { code: 1000 } }], [])).toBe(
      "passed",
    )
    expect(await frames([{ close: true }, { closed: { code: 1001 } }], [])).toContain("code: 1001")
    expect(await frames([{ close: true }, { closed: "<any>" }], [hello])).toContain(
      'expected  the end of the connection\n  received  {"type":"hello","id":"7"}',
    )
  })
})

/** A child that is ready and answers a prompt with these frames. */
function child(...turn: readonly JsonObject[]): Answers {
  return ({ type, id }) => {
    if (type === "prompt") return turn
    return type === "get_state" ? [{ type: "response", id, command: "get_state" }] : []
  }
}

async function playSession(steps: readonly SessionStep[], answers: Answers, door: DoorName = "rpc"): Promise<string> {
  const journal: string[] = []
  const world = worldOf(() => new ScriptedWire([{ type: "ready", session_id: "s" }], answers))
  let number = 0
  try {
    const client = await connectClient(door, async () => new FrameReader(await world.connect(), journal), "/")
    const context = { client, world, names: new Map() }
    for (const step of steps) {
      number += 1
      await playSessionStep(step, context)
    }
    await expectNothingMore(context)
    return "passed"
  } catch (error) {
    return failureText(failedAt(error, number, steps, journal))
  }
}

describe("a session scenario", () => {
  const said = (delta: string) => ({ type: "message_update", event: { type: "text_delta", delta } })
  const called = (tool: string, event: JsonObject) => ({ type: "message_update", event: { tool_id: tool, ...event } })
  const end = { type: "response", id: "request-1", command: "prompt", ok: true }
  const prompt = { prompt: "Hi" }

  it("passes for any split of a text", async () => {
    const steps: SessionStep[] = [prompt, { text: "One " }, { text: "two" }, { end: "done" }]
    expect(await playSession(steps, child(said("On"), said("e t"), said("wo"), end))).toBe("passed")
  })

  it.each<[string, readonly SessionStep[], readonly JsonObject[], string]>([
    [
      "another text",
      [{ text: "One two" }],
      [said("One "), said("three")],
      'still missing: "two"\n  received  the text "three"',
    ],
    ["extra text", [{ text: "One" }, { end: "done" }], [said("One two"), end], 'received  the text " two"'],
    ["an end too early", [{ text: "One" }], [end], "received  the end of the turn: done"],
    ["another end", [{ end: "cancelled" }], [end], "expected  the end of the turn: cancelled"],
    ["something after the last step", [], [said("One")], 'expected  nothing more\n  received  the text "One"'],
    ["a frame that is not known", [{ text: "One" }], [{ type: "surprise" }], 'received  {"type":"surprise"}'],
    [
      "a response to another request",
      [{ text: "One" }],
      [{ type: "error", id: "x" }],
      'received  {"type":"error","id":"x"}',
    ],
  ])("fails on %s", async (_, steps, turn, why) => {
    expect(await playSession([prompt, ...steps], child(...turn))).toContain(why)
  })

  const calls = [
    called("1", { type: "toolcall_start", tool_name: "weigh" }),
    called("2", { type: "toolcall_start", tool_name: "measure" }),
    called("1", { type: "toolcall_input", input: { n: 1 } }),
    called("2", { type: "toolcall_input", input: {} }),
    called("2", { type: "toolcall_result", result: "30 cm" }),
    called("1", { type: "toolcall_result", result: "12 kg" }),
  ]

  it("accepts interleaved lists, each in its order", async () => {
    const weigh = [
      { call: "weigh", input: { n: 1 } },
      { result: "weigh", says: "12 kg" },
    ]
    const measure = [{ call: "measure" }, { result: "measure" }]
    expect(await playSession([prompt, { together: [weigh, measure] }], child(...calls))).toBe("passed")
    expect(await playSession([prompt, { together: [weigh.toReversed(), measure] }], child(...calls))).toContain(
      'expected  a result of weigh: "12 kg", or a call of measure\n  received  a call of weigh with {"n":1}',
    )
  })

  it("fails on other arguments and on another result", async () => {
    expect(await playSession([prompt, { call: "weigh", input: { n: 2 } }], child(...calls))).toContain(
      'expected  a call of weigh with {"n":2}\n  received  a call of weigh with {"n":1}',
    )
    const steps: SessionStep[] = [prompt, { call: "weigh" }, { call: "measure" }, { result: "measure", says: "31 cm" }]
    expect(await playSession(steps, child(...calls))).toContain('received  a result of measure: "30 cm"')
  })

  it("fails when a prompt names an unknown model", async () => {
    expect(await playSession([{ prompt: "Hi", model: "other" }], child())).toContain('no model named "other"')
  })

  it("fails when a prompt has another outcome", async () => {
    expect(await playSession([{ prompt: "Hi", is: "refused" }], child())).toContain(
      "expected  that the prompt is refused\n  received  it is taken",
    )
  })
})
