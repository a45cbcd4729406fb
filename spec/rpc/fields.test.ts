// Conformance cases 34 to 41: fields that are missing, wrong, or more than the protocol knows.
import { describe, expect, it } from "vitest"
import { sharedChild } from "./children.ts"
import type { Frame } from "./wire.ts"

/** "one error" when the only frame is an error, and its id, if it has one, is this. */
function answerIn(frames: readonly Frame[], id?: string): string {
  const [frame, ...others] = frames
  const isOne = frame?.type === "error" && frame.message !== "" && others.length === 0
  return isOne && (frame.id === undefined || frame.id === id) ? "one error" : JSON.stringify(frames)
}

describe("fields", () => {
  const child = sharedChild()
  const settle = (...what: readonly (object | string)[]) => child.wire.sendAndSettle(...what)

  it.for(["nonsense", "__proto__", "constructor", "toString", "approve", "queue", "hasOwnProperty", ""])(
    "34: the unknown type '%s'",
    async (type) => {
      expect(answerIn(await settle({ type, id: "x", approval_id: "a", approved: true, message: "m" }), "x")).toBe(
        "one error",
      )
    },
  )

  it("35: no type, no id, an id that is not a string", async () => {
    expect(answerIn(await settle({ id: "x" }), "x")).toBe("one error")
    expect(answerIn(await settle({ type: 5, id: "x" }), "x")).toBe("one error")
    expect(answerIn(await settle({ type: "get_state" }))).toBe("one error")
    expect(answerIn(await settle({ type: "get_state", id: 7 }))).toBe("one error")
    expect(answerIn(await settle({ type: "get_state", id: null }))).toBe("one error")
  })

  it("36: a missing field or one of the wrong type starts nothing", async () => {
    expect(answerIn(await settle({ type: "prompt", id: "x" }), "x")).toBe("one error")
    expect(answerIn(await settle({ type: "prompt", id: "x", message: 5 }), "x")).toBe("one error")
    expect(answerIn(await settle({ type: "prompt", id: "x", message: "m", attachments: [{ name: "n" }] }), "x")).toBe(
      "one error",
    )
    expect(answerIn(await settle({ type: "follow_up", id: "x" }), "x")).toBe("one error")
    expect(answerIn(await settle({ type: "set_model", id: "x" }), "x")).toBe("one error")
    expect(answerIn(await settle({ type: "set_model", id: "x", model: "" }), "x")).toBe("one error")
    expect(answerIn(await settle({ type: "prompt", id: "x", message: "" }), "x")).toBe("one error")
    expect(await child.state()).toMatchObject({ streaming: false, message_count: 0 })
  })

  it("37: unknown fields are ignored", async () => {
    expect(await settle({ type: "get_state", id: "x", op: "get_state", message: 5, __proto__x: {} })).toMatchObject([
      { type: "response", id: "x", command: "get_state" },
    ])
    expect(await settle('{"__proto__":{"id":"y"},"constructor":1,"type":"get_state","id":"x"}\n')).toMatchObject([
      { type: "response", id: "x" },
    ])
  })

  it("38: an empty id is an id", async () => {
    expect(await settle({ type: "get_messages", id: "" })).toMatchObject([{ id: "", command: "get_messages" }])
  })

  it("39: the same id twice is answered twice", async () => {
    const get = { type: "get_state", id: "twin" }
    expect(await settle(get, get)).toMatchObject([{ id: "twin" }, { id: "twin" }])
  })

  it("40: tools_list with an id, with null and without, as a real parent writes it", async () => {
    const frames = await settle(
      '{"op":"tools_list","type":"tools_list"}\n',
      { type: "tools_list", id: "t" },
      { type: "tools_list", id: null },
    )
    expect(frames).toMatchObject(["", "t", ""].map((id) => ({ type: "response", id, command: "tools_list", ok: true })))
    const tools = frames[0]?.type === "response" ? frames[0]["tools"] : undefined
    expect(tools).toEqual(
      expect.arrayContaining([
        {
          name: "bash",
          description: expect.stringMatching(/./),
          input_schema: expect.objectContaining({ type: "object" }),
        },
      ]),
    )
  })

  it("41: a command of another protocol", async () => {
    expect(answerIn(await settle('{"op":"tool_call","name":"x","args":{},"type":"tool_call"}\n'))).toBe("one error")
  })

  it("get_available_models, get_session_stats and abort are answered in an idle session", async () => {
    expect(await child.ask("get_available_models")).toMatchObject({ command: "get_available_models" })
    expect(await child.ask("get_session_stats")).toMatchObject({
      input_tokens: 0,
      output_tokens: 0,
      cost: 0,
      message_count: 0,
    })
  })
})
