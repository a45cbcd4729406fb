// Conformance cases 15 to 33: lines and their content. A line that is not a command costs an error, never the child.
import { describe, expect, it } from "vitest"
import { names, of, sharedChild, textOf } from "./children.ts"
import { memoryOf } from "./process-figures.ts"

const mebibyte = 1024 * 1024

/** A get_state of exactly this many bytes. */
function sized(id: string, bytes: number, filling = "x"): Buffer {
  const frame = (pad: string) => Buffer.from(JSON.stringify({ type: "get_state", id, pad }))
  const room = bytes - frame("").length
  const fillings = Math.floor(room / Buffer.byteLength(filling))
  return frame(filling.repeat(fillings) + "x".repeat(room - fillings * Buffer.byteLength(filling)))
}

const line = (...parts: readonly (string | Uint8Array)[]) =>
  Buffer.concat([...parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)), Buffer.from("\n")])

/** One error without an id. */
const oneError = (text = "") => [{ type: "error", message: expect.stringContaining(text) }]

describe("lines that are not a command", () => {
  const child = sharedChild()
  const settle = (...what: readonly (string | Uint8Array)[]) => child.wire.sendAndSettle(...what)

  it("15: not JSON", async () => {
    expect(await settle("not json\n")).toEqual(oneError())
  })

  it.for(["[]", "5", "null", '"x"', "true", '["get_state",{"id":"1"}]'])(
    "16: JSON but not an object: %s",
    async (text) => {
      expect(await settle(`${text}\n`)).toEqual(oneError())
    },
  )

  it("17: two objects on a line", async () => {
    expect(await settle('{"type":"get_state","id":"1"}{"type":"get_state","id":"2"}\n')).toEqual(oneError())
  })

  it("18: text after the object", async () => {
    expect(await settle('{"type":"get_state","id":"1"} x\n')).toEqual(oneError())
  })

  it("19: blank lines of any kind are ignored", async () => {
    expect(await settle("\n\r\n   \n\t\n \r\r\n\u00a0\u2003\n")).toEqual([])
  })

  it("24: one byte more than 1 MiB", async () => {
    expect(await settle(line(sized("big", mebibyte + 1)))).toEqual(oneError("1 MiB"))
    expect(await settle(line(sized("big", mebibyte + 1), "\r"))).toEqual(oneError("1 MiB"))
  })

  it("25: the limit counts bytes, not characters", async () => {
    expect(await settle(line(sized("even", mebibyte, "é")))).toMatchObject([{ type: "response", id: "even" }])
    expect(await settle(line(sized("odd", mebibyte + 1, "é")))).toEqual(oneError("1 MiB"))
  })

  it("26: 64 MiB without an end are not kept", async () => {
    const piece = Buffer.alloc(mebibyte, 0x61)
    const grown: number[] = []
    for (let round = 0; round < 2; round++) {
      const before = memoryOf(child.wire.pid)
      for (let n = 0; n < 64; n++) await child.wire.send(piece)
      expect(await settle("\n")).toEqual(oneError("1 MiB"))
      grown.push(memoryOf(child.wire.pid) - before)
    }
    expect(Math.min(...grown)).toBeLessThan(10 * 1024) // in one of them something else may have been loaded
  })

  it("27: good, too long and good in one write", async () => {
    const good = (id: string) => `{"type":"get_state","id":"${id}"}\n`
    const frames = await settle(
      Buffer.concat([Buffer.from(good("a")), line(sized("b", 2 * mebibyte)), Buffer.from(good("c"))]),
    )
    expect(frames).toMatchObject([{ id: "a" }, { type: "error" }, { id: "c" }])
  })

  it("29: not UTF-8", async () => {
    expect(await settle(line('{"type":"get_state","id":"', Uint8Array.of(0xff, 0xc3), '"}'))).toEqual(oneError())
  })

  it("30: raw NUL characters", async () => {
    expect(await settle(line('{"type":"get_state","id":"a\0b"}'))).toEqual(oneError())
    expect(await settle(line("\0\0\0"))).toEqual(oneError())
  })
})

describe("lines that are a command", () => {
  const child = sharedChild()
  const settle = (...what: readonly (object | string | Uint8Array)[]) => child.wire.sendAndSettle(...what)

  it("20: CRLF, CR CR LF and blanks around it", async () => {
    const get = (id: string) => JSON.stringify({ type: "get_state", id })
    const frames = await settle(`${get("a")}\r\n${get("b")}\r\r\n  ${get("c")}\t \n`)
    expect(frames).toMatchObject([{ id: "a" }, { id: "b" }, { id: "c" }])
  })

  it("21: CR between tokens", async () => {
    expect(await settle('{\r"type":\r"get_state",\r"id":"cr"\r}\n')).toMatchObject([{ type: "response", id: "cr" }])
  })

  it.for([
    ["22", "a\u2028b\u2029c\u0085d"],
    ["30", "a\0b\u0001"],
    ["38", ""],
    ["28", "aé€😀z"],
  ])("%s: the id comes back as it was sent: %j", async ([, id = ""]) => {
    expect(await settle({ type: "get_state", id })).toMatchObject([{ type: "response", id }])
  })

  it("23: exactly 1 MiB, also with CRLF", async () => {
    const frames = await settle(line(sized("a", mebibyte)), line(sized("b", mebibyte), "\r"))
    expect(frames).toMatchObject([{ id: "a" }, { id: "b" }])
  })

  it("28: one byte at a time", async () => {
    const id = "é€😀"
    const after = child.wire.frames.length
    for (const byte of Buffer.from(`${JSON.stringify({ type: "get_state", id })}\n`)) {
      await child.wire.send(Uint8Array.of(byte))
    }
    expect(await child.wire.response(id, after)).toMatchObject({ command: "get_state" })
  })

  it("31: a byte order mark is an error or nothing", async () => {
    const [frame, ...others] = await settle('\ufeff{"type":"get_state","id":"bom"}\n')
    expect(others).toEqual([])
    expect(["error", "response"]).toContain(frame?.type)
  })

  it("32: a field that is nested 500,000 deep", async () => {
    const deep = "[".repeat(500_000) + "]".repeat(500_000)
    const [frame, ...others] = await settle(`{"type":"get_state","id":"deep","x":${deep}}\n`)
    expect(others).toEqual([])
    expect(["error", "response"]).toContain(frame?.type)
  })

  it("33: a lone surrogate in a message is replaced, and the turn runs", async () => {
    await child.useScript([[{ text: "Fine." }]])
    const after = child.wire.frames.length
    await child.wire.send('{"type":"prompt","id":"half","message":"a\\ud800b"}\n')
    expect(await child.wire.response("half", after)).toMatchObject({ ok: true })
    expect(textOf(child.wire.frames.slice(after))).toBe("Fine.")
    expect(JSON.stringify(await child.messages())).toContain("a\ufffdb")
    expect(of(child.wire.frames, "error").filter(({ id }) => id === "half")).toEqual([])
    expect(names(child.wire.frames.slice(after))).toContain("agent_end")
  })
})
