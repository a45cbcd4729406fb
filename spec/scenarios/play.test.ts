// Scenarios that are wrong must fail, and say why. The wires are in memory; what they say is fixed.
import { describe, expect, it } from "vitest"
import { isJsonObject, type JsonObject } from "../../src/contract/json-object.ts"
import type { JsonValue } from "../../src/contract/values.ts"
import { Place } from "../e2e/place.ts"
import { failedAt, failureText } from "./failure.ts"
import { FrameReader } from "./frame-reader.ts"
import { arrive } from "./clients/index.ts"
import { FramePlayer } from "./play-frames.ts"
import { playWord, settleWords } from "./play-session.ts"
import type { DoorName, FrameStep, WordStep } from "./scenario.ts"
import type { Wire, World } from "./worlds/world.ts"

/** Answers each frame with some others. */
type Answers = (frame: JsonObject) => readonly JsonObject[]

class Told implements Wire {
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
    if (frame === undefined) throw new Error("the connection is over")
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
  const world = worldOf(() => new Told(first, answers))
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

describe("a scenario in frames", () => {
  const hello = { type: "hello", id: "7" }

  it("passes when every frame is as expected, and none is left", async () => {
    expect(await frames([{ expect: hello }], [hello])).toBe("passed")
  })

  it("fails with the step, what was expected, what came, and the frames before", async () => {
    expect(await frames([{ send: { action: "x" } }, { expect: { type: "hello", id: "8" } }], [hello])).toBe(
      [
        'failed at step 2 of 2: {"expect":{"type":"hello","id":"8"}}',
        '  expected  id: "8", in {"type":"hello","id":"8"}',
        '  came      "7", in {"type":"hello","id":"7"}',
        "  the last frames (-> sent, <- came):",
        '    -> {"action":"x"}',
        '    <- {"type":"hello","id":"7"}',
      ].join("\n"),
    )
  })

  it("fails when a frame comes that nobody has asked for", async () => {
    const text = await frames([{ expect: hello }], [hello, { type: "surprise" }])
    expect(text).toContain('expected  nothing more\n  came      {"type":"surprise"}')
  })

  it("fails when the connection is over before the frame", async () => {
    expect(await frames([{ expect: hello }], [])).toContain(
      'expected  {"type":"hello","id":"7"}\n  came      the connection is over',
    )
  })

  it("takes pieces in any number, and only as long as they fit", async () => {
    const pieces = ["He", "l", "lo"].map((token) => ({ type: "token", token }))
    const many = (token: string): FrameStep => ({ many: { type: "token", token: "<string>" }, joined: { token } })
    expect(await frames([many("Hello")], pieces)).toBe("passed")
    expect(await frames([many("Hell")], pieces)).toContain('token that goes on with "l"\n  came      "lo"')
    expect(await frames([many("Hello!")], [...pieces, hello])).toContain('expected  type: "token"')
  })

  it("takes frames in any order where it says so, each once", async () => {
    const all: FrameStep = { all: [hello, { type: "bye" }] }
    expect(await frames([all], [{ type: "bye" }, hello])).toBe("passed")
    expect(await frames([all], [hello, hello])).toContain('expected  {"type":"bye"}')
  })

  it("fails where it speaks of a connection that is not there", async () => {
    expect(await frames([{ to: "b", send: {} }], [])).toContain('there is no connection "b"')
  })

  it("looks at how a connection ended", async () => {
    expect(await frames([{ connect: "b" }, { to: "b", close: true }, { to: "b", closed: { code: 1000 } }], [])).toBe(
      "passed",
    )
    expect(await frames([{ close: true }, { closed: { code: 1001 } }], [])).toContain("code: 1001")
    expect(await frames([{ close: true }, { closed: "<any>" }], [hello])).toContain(
      'expected  the end of the connection\n  came      {"type":"hello","id":"7"}',
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

async function words(steps: readonly WordStep[], answers: Answers, door: DoorName = "rpc"): Promise<string> {
  const journal: string[] = []
  const world = worldOf(() => new Told([{ type: "ready", session_id: "s" }], answers))
  let number = 0
  try {
    const guest = await arrive(door, async () => new FrameReader(await world.connect(), journal), "/")
    const stage = { guest, world, names: new Map() }
    for (const step of steps) {
      number += 1
      await playWord(step, stage)
    }
    await settleWords(stage)
    return "passed"
  } catch (error) {
    return failureText(failedAt(error, number, steps, journal))
  }
}

describe("a scenario in words", () => {
  const said = (delta: string) => ({ type: "message_update", event: { type: "text_delta", delta } })
  const called = (tool: string, event: JsonObject) => ({ type: "message_update", event: { tool_id: tool, ...event } })
  const end = { type: "response", id: "request-1", command: "prompt", ok: true }
  const prompt = { prompt: "Hi" }

  it("passes whatever pieces the words come in", async () => {
    const steps: WordStep[] = [prompt, { text: "One " }, { text: "two" }, { end: "done" }]
    expect(await words(steps, child(said("On"), said("e t"), said("wo"), end))).toBe("passed")
  })

  it.each<[string, readonly WordStep[], readonly JsonObject[], string]>([
    [
      "other words",
      [{ text: "One two" }],
      [said("One "), said("three")],
      'missing yet: "two"\n  came      the words "three"',
    ],
    ["words too many", [{ text: "One" }, { end: "done" }], [said("One two"), end], 'came      the words " two"'],
    ["an end too early", [{ text: "One" }], [end], "came      the end of the turn: done"],
    ["another end", [{ end: "cancelled" }], [end], "expected  the end of the turn: cancelled"],
    ["something after the last step", [], [said("One")], 'expected  nothing more\n  came      the words "One"'],
    ["a frame that is not known", [{ text: "One" }], [{ type: "surprise" }], 'came      {"type":"surprise"}'],
    [
      "the answer to somebody else",
      [{ text: "One" }],
      [{ type: "error", id: "x" }],
      'came      {"type":"error","id":"x"}',
    ],
  ])("fails on %s", async (_, steps, turn, why) => {
    expect(await words([prompt, ...steps], child(...turn))).toContain(why)
  })

  const calls = [
    called("1", { type: "toolcall_start", tool_name: "weigh" }),
    called("2", { type: "toolcall_start", tool_name: "measure" }),
    called("1", { type: "toolcall_input", input: { n: 1 } }),
    called("2", { type: "toolcall_input", input: {} }),
    called("2", { type: "toolcall_result", result: "30 cm" }),
    called("1", { type: "toolcall_result", result: "12 kg" }),
  ]

  it("takes calls together in any order, each with its own in its order", async () => {
    const weigh = [
      { call: "weigh", input: { n: 1 } },
      { result: "weigh", says: "12 kg" },
    ]
    const measure = [{ call: "measure" }, { result: "measure" }]
    expect(await words([prompt, { together: [weigh, measure] }], child(...calls))).toBe("passed")
    expect(await words([prompt, { together: [weigh.toReversed(), measure] }], child(...calls))).toContain(
      'expected  a result of weigh: "12 kg", or a call of measure\n  came      a call of weigh with {"n":1}',
    )
  })

  it("fails on a call with other arguments, and on another result", async () => {
    expect(await words([prompt, { call: "weigh", input: { n: 2 } }], child(...calls))).toContain(
      'expected  a call of weigh with {"n":2}\n  came      a call of weigh with {"n":1}',
    )
    const steps: WordStep[] = [prompt, { call: "weigh" }, { call: "measure" }, { result: "measure", says: "31 cm" }]
    expect(await words(steps, child(...calls))).toContain('came      a result of measure: "30 cm"')
  })

  it("fails where a prompt names a model that the scenario does not have", async () => {
    expect(await words([{ prompt: "Hi", model: "other" }], child())).toContain('there is no model "other"')
  })

  it("fails when a prompt becomes something else than it says", async () => {
    expect(await words([{ prompt: "Hi", is: "refused" }], child())).toContain(
      "expected  that the prompt is refused\n  came      it is taken",
    )
  })
})
