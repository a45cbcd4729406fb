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

const line = (text: string): Line => ({ kind: "line", text })

describe("lines", () => {
  it("are the same wherever the stream is cut", () => {
    const text = fc.array(
      fc.string({ unit: "grapheme", maxLength: 20 }).filter((part) => !/[\r\n]/.test(part)),
      { maxLength: 5 },
    )
    fc.assert(
      fc.property(text, fc.array(fc.nat(200), { maxLength: 10 }), (parts, cuts) => {
        const bytes = Buffer.from(parts.map((part) => `${part}\n`).join(""))
        const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length]
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end))
        expect(split(chunks, 1000)).toEqual(parts.map(line))
      }),
    )
  })

  it("end at LF alone: CR before it is dropped, U+2028 and a lone CR are text", () => {
    expect(split([Buffer.from("a\r\nb\r\r\nc\u2028d\re\n")])).toEqual(["a", "b", "c\u2028d\re"].map(line))
  })

  it("of exactly the limit pass, also with CRLF; one byte more does not", () => {
    expect(split([Buffer.from(`${"x".repeat(100)}\r\n${"y".repeat(101)}\nok\n`)])).toEqual([
      line("x".repeat(100)),
      { kind: "too-long", bytes: 101 },
      line("ok"),
    ])
  })

  it("that never end are counted, not kept", () => {
    const lines: Line[] = []
    const splitter = new LineSplitter(100, (one) => lines.push(one))
    for (let n = 0; n < 1000; n++) splitter.push(Buffer.alloc(65_536, 0x61))
    splitter.push(Buffer.from("\nnext\n"))
    expect(lines).toEqual([{ kind: "too-long", bytes: 65_536_000 }, line("next")])
  })

  it("that are not UTF-8 are named as such, and the next one is read", () => {
    expect(split([Buffer.from([0x22, 0xff, 0x22, 0x0a, 0x61])])).toEqual([{ kind: "not-utf8" }, line("a")])
  })
})
