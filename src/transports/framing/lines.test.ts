import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { LineSplitter, type Line } from "./lines.ts"

function split(chunks: readonly Uint8Array[], limit = 100): readonly Line[] {
  const lines: Line[] = []
  const splitter = new LineSplitter(limit, (line) => lines.push(line))
  for (const chunk of chunks) splitter.push(chunk)
  splitter.end()
  return lines
}

/** The same bytes, cut at the given places. */
function cutAt(bytes: Buffer, cuts: readonly number[]): readonly Uint8Array[] {
  const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end))
}

const line = (text: string): Line => ({ kind: "line", text })
const cuts = fc.array(fc.nat(200), { maxLength: 10 })

describe("lines", () => {
  it("are the same wherever the stream is cut", () => {
    const text = fc.array(
      fc.string({ unit: "grapheme", maxLength: 20 }).filter((part) => !/[\r\n]/.test(part)),
      { maxLength: 5 },
    )
    fc.assert(
      fc.property(text, cuts, (parts, places) => {
        const bytes = Buffer.from(parts.map((part) => `${part}\n`).join(""))
        expect(split(cutAt(bytes, places), 1000)).toEqual(parts.map(line))
      }),
    )
  })

  it("of any bytes are the same in one chunk and in many, including too long and invalid ones", () => {
    const bytes = fc.array(fc.constantFrom(0x0a, 0x0d, 0x20, 0x61, 0x00, 0xc3, 0xa9, 0xe2, 0x80, 0xa8, 0xff), {
      maxLength: 200,
    })
    fc.assert(
      fc.property(bytes, cuts, fc.integer({ min: 1, max: 20 }), (all, places, limit) => {
        const whole = Buffer.from(all)
        expect(split(cutAt(whole, places), limit)).toEqual(split([whole], limit))
      }),
    )
  })

  it("are complete when every byte comes alone", () => {
    const bytes = Buffer.from(`{"id":"é\u2028🎈"}\n${"x".repeat(5000)}\n`)
    expect(
      split(
        Array.from(bytes, (byte) => Uint8Array.of(byte)),
        5000,
      ),
    ).toEqual([line('{"id":"é\u2028🎈"}'), line("x".repeat(5000))])
  })

  it("end at LF alone: CR before it is dropped, U+2028 and a lone CR are text", () => {
    expect(split([Buffer.from("a\r\nb\r\r\nc\u2028d\re\n")])).toEqual(["a", "b", "c\u2028d\re"].map(line))
  })

  it("of exactly the limit pass, with any number of CRs after them; one byte more does not", () => {
    const full = "x".repeat(100)
    expect(split([Buffer.from(`${full}\n${full}\r\n${full}\r\r\r\n${full}\r!\n${"y".repeat(101)}\nok`)])).toEqual([
      line(full),
      line(full),
      line(full),
      { kind: "too-long", bytes: 102 },
      { kind: "too-long", bytes: 101 },
      line("ok"),
    ])
  })

  it("are measured in bytes, not in characters", () => {
    expect(split([Buffer.from(`${"é".repeat(50)}\n${"é".repeat(50)}x\n`)])).toEqual([
      line("é".repeat(50)),
      { kind: "too-long", bytes: 101 },
    ])
  })

  it("without an end are counted, not kept", () => {
    const lines: Line[] = []
    const splitter = new LineSplitter(100, (one) => lines.push(one))
    for (let n = 0; n < 1000; n++) splitter.push(Buffer.alloc(65_536, 0x61))
    splitter.push(Buffer.from("\nnext\n"))
    expect(lines).toEqual([{ kind: "too-long", bytes: 65_536_000 }, line("next")])
  })

  it("may be empty, and the end of the stream is not a line", () => {
    expect(split([Buffer.from("\n\r\na\n")])).toEqual(["", "", "a"].map(line))
    expect(split([])).toEqual([])
  })

  it("that are not UTF-8 are reported as such, and the next one is read", () => {
    expect(split([Buffer.from([0x22, 0xff, 0x22, 0x0a, 0x61])])).toEqual([{ kind: "not-utf8" }, line("a")])
  })

  it("end where the callback calls `stop`, and the rest of the chunk is returned", () => {
    const emitted: Line[] = []
    const splitter = new LineSplitter(100, (each) => {
      emitted.push(each)
      splitter.stop()
    })
    expect(splitter.push(Buffer.from("fir"))).toHaveLength(0)
    expect(Buffer.from(splitter.push(Buffer.from("st\nsecond\n"))).toString()).toBe("second\n")
    splitter.end()
    expect(emitted).toEqual([line("first")])
  })

  it("that are too long stop the splitter at once with `stop`", () => {
    fc.assert(
      fc.property(cuts, (places) => {
        const emitted: Line[] = []
        const splitter = new LineSplitter(10, (each) => emitted.push(each), "stop")
        for (const chunk of cutAt(Buffer.from(`short\n${"x".repeat(11)}\nnext\n`), places)) splitter.push(chunk)
        splitter.end()
        expect(emitted).toEqual([line("short"), { kind: "too-long", bytes: expect.any(Number) }])
      }),
    )
  })
})
