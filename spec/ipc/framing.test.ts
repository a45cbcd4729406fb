// Conformance cases 14 to 20: lines and their content.
import { describe, expect, it } from "vitest"
import { verdicts } from "../../src/protocols/fixtures/verdicts.ts"
import { SharedAgent, turn, userTexts } from "./agents.ts"
import { names, newSession, of, textOf } from "./raw-viewer.ts"

const longestLine = 16 * 1024 * 1024
const cancel = '{"type":"cancel"}'
const ack = { type: "ack", command: "cancel" }

describe("lines", () => {
  const shared = new SharedAgent()

  it("14: a line of exactly 16,777,216 bytes with its newline is accepted, one more byte is refused", async (test) => {
    const padded = (bytes: number) => `{"type":"cancel","junk":"${"x".repeat(bytes - cancel.length - 11)}"}\n`
    expect(padded(longestLine)).toHaveLength(longestLine)
    const viewer = await shared.viewer(test)
    expect(await viewer.settle(padded(longestLine))).toEqual([ack])
    await viewer.send(padded(longestLine + 1), { type: "cancel" })
    const after = (await viewer.untilClosed()).slice(-1)
    const message = `Message exceeds maximum size of ${longestLine} bytes`
    expect(after).toEqual([{ type: "error", message, fatal: false }])
  })

  it("15: one message in writes of one byte during a stream is parsed intact", async (test) => {
    const pieces = Array.from({ length: 400 }, (_, index) => `${index} `)
    const viewer = await shared.scripted(test, [[{ chunks: pieces }], [{ text: "Second." }]], { delayMs: 2 })
    await viewer.send({ type: "user_input", content: "go" })
    await viewer.next("stream_chunk")
    const content = "é€😀 in pieces"
    for (const byte of Buffer.from(`${JSON.stringify({ type: "user_input", content })}\n`))
      await viewer.send(Uint8Array.of(byte))
    await viewer.ack("queue_message")
    expect(names(viewer.frames)).not.toContain("stream_end")
    await viewer.next("stream_end")
    expect(textOf(viewer.frames)).toBe(pieces.join(""))
    await viewer.until(
      "the second answer",
      (frame) => frame.type === "message_added" && isSecond(frame.message.content),
    )
    expect(userTexts((await viewer.sync()).messages)).toEqual(["go", content])
  })

  it("16: two messages in one write, CRLF and a last line without newline before EOF are all executed", async (test) => {
    const [viewer, onlooker] = [await shared.viewer(test), await shared.viewer(test)]
    const after = onlooker.frames.length
    await viewer.send(`${cancel}\r\n  ${cancel}\t\r\n`, '{"type":"set_tool_mode","mode":"Core"}')
    viewer.socket.endInput()
    await onlooker.ack("set_tool_mode", after)
    expect(of(onlooker.frames.slice(after), "ack").map(({ command }) => command)).toEqual([
      "cancel",
      "cancel",
      "set_tool_mode",
    ])
    await viewer.closed
    await onlooker.settle({ type: "set_tool_mode", mode: "Smart" })
  })

  it("17: blank lines are ignored; an invalid line gets one error, and the eleventh closes the connection", async (test) => {
    const viewer = await shared.viewer(test)
    expect(await viewer.settle("\n\r\n  \t \n\n")).toEqual([])
    const bad = [
      "{}",
      "null",
      "[]",
      '"cancel"',
      '["cancel"]',
      '{"type":"cancel"',
      '{"type":"cancel",}',
      `\ufeff${cancel}`,
    ]
    for (const line of bad) {
      const frames = await viewer.settle(`${line}\n`)
      expect({ line, frames }).toMatchObject({ line, frames: [{ type: "error", fatal: false }] })
    }
    expect(names(await viewer.settle("{}\n{}\n"))).toEqual(["error", "error"])
    const after = viewer.frames.length
    await viewer.send("{}\n", { type: "set_tool_mode", mode: "None" })
    expect(names((await viewer.untilClosed()).slice(after))).toEqual(["error"])
    expect(await (await shared.viewer(test)).sync()).toMatchObject({ tool_mode: "Smart" })
  })

  it("18: invalid UTF-8 and a lone surrogate are errors, a NUL is a character", async (test) => {
    const viewer = await shared.scripted(test, [[{ text: "Fine." }]])
    const line = (...bytes: readonly number[]) =>
      Buffer.concat([Buffer.from('{"type":"queue_message","content":"'), Uint8Array.from(bytes), Buffer.from('"}\n')])
    expect(await viewer.settle(line(0xff, 0xfe))).toMatchObject([{ type: "error", fatal: false }])
    expect(await viewer.settle('{"type":"queue_message","content":"a\\ud800b"}\n')).toMatchObject([{ type: "error" }])
    const from = viewer.frames.length
    await viewer.send('{"type":"user_input","content":"a\\u0000b"}\n')
    await viewer.next("stream_end", from)
    expect(userTexts((await viewer.sync()).messages)).toEqual(["a\0b"])
  })

  it("19: unknown fields are ignored; wrong case, a wrong type and a duplicate field are errors", async (test) => {
    const viewer = await shared.viewer(test)
    expect(await viewer.settle('{"type":"cancel","junk":1}\n')).toEqual([ack])
    for (const line of [
      '{"type":"Cancel"}',
      '{"type":"cancel","type":"cancel"}',
      '{"type":"user_input","content":"a","content":"b"}',
    ])
      expect(await viewer.settle(`${line}\n`)).toMatchObject([{ type: "error", fatal: false }])
  })

  it("19: the error names the field and the connection stays", async (test) => {
    const viewer = await shared.viewer(test)
    const wrong = { user_input: "content", detach: "exit_when_done", set_tool_mode: "mode", slash_command: "command" }
    for (const [type, field] of Object.entries(wrong)) {
      const [error, ...more] = of(await viewer.settle({ type, [field]: 7, args: [] }), "error")
      expect(more).toEqual([])
      expect(error?.message).toContain(field)
    }
  })

  it("19: 127 levels are accepted, one more is an error", async (test) => {
    const viewer = await shared.viewer(test)
    const deep = (levels: number) => `{"type":"cancel","junk":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}\n`
    expect(await viewer.settle(deep(127))).toEqual([ack])
    expect(await viewer.settle(deep(128), deep(500_000))).toMatchObject([{ type: "error" }, { type: "error" }])
  })

  it("20: every line that the protocol's own types refuse gets exactly one error", async (test) => {
    const all = [
      ...verdicts("ipc", "verdicts"),
      ...verdicts("ipc", "stricter").map((one) => ({ ...one, accepted: false })),
    ]
    const bad = all.filter(({ kind, frame, accepted }) => kind === "viewer_message" && !accepted && isLine(frame))
    expect(bad.length).toBeGreaterThan(50)
    for (let from = 0; from < bad.length; from += 10) {
      const some = bad.slice(from, from + 10).map(({ frame }) => frame)
      const viewer = await shared.viewer(test)
      const frames = await viewer.settle(...some.map((frame) => `${frame}\n`))
      expect({ some, frames: names(frames) }).toEqual({ some, frames: some.map(() => "error") })
      viewer.socket.destroy()
    }
  })

  it("20: every handshake is accepted or refused as by the protocol's own types", async (test) => {
    const handshakes = verdicts("ipc", "verdicts").filter(({ kind, frame }) => kind === "handshake" && isLine(frame))
    expect(handshakes.length).toBeGreaterThan(10)
    for (const { frame, accepted } of handshakes) {
      const viewer = await shared.agent.connect(test)
      await viewer.send(`${frame}\n`)
      const answered = await viewer.response().then(
        () => true,
        () => false,
      )
      expect({ frame, answered }).toEqual({ frame, answered: accepted })
      viewer.socket.destroy()
    }
  })

  it("the agent still works after all that", async (test) => {
    const viewer = await shared.scripted(test, [[{ text: "Still here." }]])
    expect(textOf(await turn(viewer, "hello"))).toBe("Still here.")
    const blankFirst = await shared.agent.connect(test)
    await blankFirst.send("\n\r\n", newSession)
    expect(await blankFirst.response()).toMatchObject({ accepted: true })
  })
})

function isSecond(content: string): boolean {
  return content === "Second."
}

/** Blank lines are not messages here; the types do not know lines. */
function isLine(frame: string): boolean {
  return frame.trim() !== "" && !frame.includes("\n")
}
