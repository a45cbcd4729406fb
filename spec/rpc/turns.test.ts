// Conformance cases 42 to 49: what a turn shows, in which order, and how it closes.
import { describe, expect, it } from "vitest"
import { deltas, names, of, readyChild, sharedChild, textOf } from "./children.ts"
import { callsIn } from "./tool-calls.ts"

const call = (tool: string, input: Record<string, string>) => ({ call: { tool, input } })

describe("a turn", () => {
  const child = sharedChild()

  it("42: two deltas, then agent_end, then the response, and nothing else", async () => {
    await child.useScript([[{ chunks: ["Hel", "lo"] }]])
    const frames = await child.turn("hi")
    expect(names(frames)).toEqual(["text_delta", "text_delta", "agent_end", "response"])
    expect(deltas(frames, "text_delta")).toEqual(["Hel", "lo"])
    expect(frames.at(-1)).toEqual({ type: "response", id: expect.any(String), command: "prompt", ok: true })
    expect(of(frames, "agent_end")[0]?.usage).toMatchObject({
      input_tokens: expect.any(Number),
      output_tokens: expect.any(Number),
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    })
  })

  it("42: the usage of a turn is the sum of its model calls, and the stats are the sum of turns", async () => {
    const usage = { input: 10, output: 3, cacheRead: 4, cacheWrite: 1 }
    await child.useScript(
      [
        [call("ls", {}), { usage }],
        [{ text: "Seen." }, { usage }],
        [{ text: "Again." }, { usage }],
      ],
      { pricePerMillion: { input: 1_000_000, output: 1_000_000 } },
    )
    const [first, second] = [await child.turn("look"), await child.turn("again")].map((frames) =>
      of(frames, "agent_end"),
    )
    expect(first).toMatchObject([
      { usage: { output_tokens: 6, cache_read_input_tokens: 8, cache_creation_input_tokens: 2 } },
    ])
    expect(second).toMatchObject([{ usage: { output_tokens: 3 } }])
    const stats = await child.ask("get_session_stats")
    expect(stats).toMatchObject({ output_tokens: 9, message_count: 6 })
    expect(stats["cost"]).toBeGreaterThan(8)
  })

  it("43: thinking comes before the text of its step, and nothing after agent_end", async () => {
    await child.useScript([
      [{ reasoning: "I look." }, { text: "Looking." }, call("ls", {})],
      [{ reasoning: "I see." }, { text: "Seen." }],
    ])
    const frames = await child.turn("look")
    expect([deltas(frames, "thinking_delta").join(""), textOf(frames)]).toEqual(["I look.I see.", "Looking.Seen."])
    const order = names(frames).filter((name, index, all) => name.endsWith("_delta") && name !== all[index - 1])
    expect(order.filter((name) => name !== "toolcall_input_delta")).toEqual([
      "thinking_delta",
      "text_delta",
      "thinking_delta",
      "text_delta",
    ])
    expect(names(frames).slice(-2)).toEqual(["agent_end", "response"])
  })

  it("44: one tool: start, input deltas, input, result, then text", async () => {
    child.place.write("a.txt", "sunny\n")
    const input = { path: "a.txt" }
    await child.useScript([[call("read", input)], [{ text: "It is." }]])
    const frames = await child.turn("weather?")
    const [frameCall] = callsIn(frames)
    expect(frameCall).toMatchObject({ tool: "read", input, result: expect.stringContaining("sunny") })
    expect(frameCall?.order).toMatch(/^start( input_delta)* input result$/)
    expect(JSON.parse(frameCall?.fragments || JSON.stringify(input))).toEqual(input)
    expect(names(frames).slice(-3)).toEqual(["text_delta", "agent_end", "response"])
  })

  it("45: parallel tools: all inputs before the first result, results as they come", async () => {
    const wait = "while [ ! -e go ]; do sleep 0.02; done; echo slow"
    await child.useScript([
      [call("bash", { command: "echo one" }), call("bash", { command: wait }), call("bash", { command: "echo three" })],
      [{ text: "All." }],
    ])
    const turn = await child.prompt("all of them")
    const isResult = (text: string) =>
      turn.until(`the result '${text}'`, (frame) => callsIn([frame])[0]?.result?.includes(text) === true)
    await Promise.all([isResult("one"), isResult("three")])
    child.place.write("go", "")
    const frames = await turn.closed()
    const calls = callsIn(frames)
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3)
    const order = names(frames)
    expect(order.lastIndexOf("toolcall_input")).toBeLessThan(order.indexOf("toolcall_result"))
    const results = frames.flatMap((frame) => callsIn([frame]).flatMap(({ result }) => result ?? []))
    expect(results.at(-1)).toContain("slow")
    expect(textOf(frames)).toBe("All.")
  })

  it.for([
    ["fails", call("read", { path: "missing.txt" }), "missing.txt"],
    ["is unknown", call("nonesuch", {}), "nonesuch"],
    ["gets input that is no JSON", { call: { tool: "read", inputText: '{"path": oops' } }, ""],
    ["gets input of the wrong shape", call("read", { file: "a" }), "path"],
  ] as const)(
    "46: a tool that %s has a result that names the problem, and the turn continues",
    async ([, part, text]) => {
      await child.useScript([[part], [{ text: "So be it." }]])
      const frames = await child.turn("try")
      const [frameCall] = callsIn(frames)
      expect(frameCall?.order).toMatch(/^start( input_delta)* input result$/)
      expect(frameCall?.result).toMatch(/./)
      expect(frameCall?.result).toContain(text)
      expect(textOf(frames)).toBe("So be it.")
      expect(frames.at(-1)).toMatchObject({ type: "response", ok: true })
    },
  )

  it("48: a provider that fails before its first token: error, agent_end, response with the same text", async () => {
    await child.useScript([
      { attempts: [[{ error: { status: 400, message: "no luck today" } }], [{ text: "Better." }]] },
    ])
    const frames = await child.turn("hi")
    expect(names(frames)).toEqual(["error", "agent_end", "response"])
    const [error] = of(frames, "error")
    const [response] = of(frames, "response")
    expect(error?.message).toContain("no luck today")
    expect(response).toMatchObject({ id: error?.id, ok: false, error: error?.message })
    expect(JSON.stringify(await child.messages())).toContain("hi")
    expect((await child.turn("again")).at(-1)).toMatchObject({ type: "response", ok: expect.any(Boolean) })
  })

  it("48: after a failure the next prompt runs, after the message that failed", async () => {
    await child.useScript([{ attempts: [[{ error: { status: 400, message: "no luck" } }]] }])
    await child.turn("first words")
    await child.ask("set_model", { model: child.place.script([[{ text: "Better." }]], {}, "better.json") })
    expect(textOf(await child.turn("second words"))).toBe("Better.")
    const history = JSON.stringify(await child.messages())
    expect(history.indexOf("first words")).toBeGreaterThan(-1)
    expect(history.indexOf("second words")).toBeGreaterThan(history.indexOf("first words"))
  })

  it("49: a provider that fails after some text: the text stays", async () => {
    await child.useScript([[{ text: "Half an" }, { error: { status: 400, message: "no luck" } }]])
    const frames = await child.turn("hi")
    expect(names(frames).slice(-3)).toEqual(["error", "agent_end", "response"])
    expect(textOf(frames)).toBe("Half an")
    expect(of(frames, "response")).toMatchObject([{ ok: false, error: expect.stringContaining("no luck") }])
    expect(JSON.stringify(await child.messages())).toContain("Half an")
  })

  it("a follow-up is a turn of its own in the same session", async () => {
    await child.useScript([[{ text: "One." }], [{ text: "Two." }]])
    await child.turn("first")
    const after = child.wire.frames.length
    const response = await child.ask("follow_up", { message: "second" })
    expect(["follow_up", "prompt"]).toContain(response.command)
    expect(response).toMatchObject({ ok: true })
    expect(textOf(child.wire.frames.slice(after))).toBe("Two.")
    expect(await child.messages()).toHaveLength(4)
  })
})

describe("a turn that fails late", () => {
  it("sends no error to a parent that has given up waiting", async (test) => {
    const child = await readyChild(test, ["--error-window", "0"])
    await child.useScript([[{ text: "Half an" }, { error: { status: 400, message: "no luck" } }]])
    const frames = await child.turn("hi")
    expect(names(frames).slice(-2)).toEqual(["agent_end", "response"])
    expect(of(frames, "error")).toEqual([])
    expect(frames.at(-1)).toMatchObject({ ok: false, error: expect.stringContaining("no luck") })
  })
})
