import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { contentFrame, ContentLengthSplitter, type ContentFrame } from "./content-length.ts"

function split(...chunks: readonly (string | Uint8Array)[]): ContentFrame[] {
  const frames: ContentFrame[] = []
  const splitter = new ContentLengthSplitter((frame) => frames.push(frame))
  for (const chunk of chunks) splitter.push(Buffer.from(chunk))
  splitter.end()
  return frames
}

const body = (text: string): ContentFrame => ({ kind: "body", text })
const fault = (what: unknown): ContentFrame => ({ kind: "fault", problem: expect.stringMatching(String(what)) })

describe("frames with a content length", () => {
  it("decode to what was encoded, however the stream is cut (case 41)", () => {
    const text = fc.string({ unit: "grapheme" })
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), fc.array(fc.nat(200), { maxLength: 20 }), (bodies, cuts) => {
        const bytes = Buffer.from(bodies.map(contentFrame).join(""))
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b)
        const chunks = places.map((place, at) => bytes.subarray(places[at - 1] ?? 0, place))
        expect(split(...chunks)).toEqual(bodies.map(body))
      }),
    )
  })

  it("may arrive byte by byte, and two in one chunk (case 41)", () => {
    const bytes = Buffer.from(contentFrame("é") + contentFrame("{}"))
    expect(split(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual([body("é"), body("{}")])
    expect(split(bytes)).toEqual([body("é"), body("{}")])
  })

  it("may have headers in any letter case, bare line feeds and other header lines", () => {
    expect(split("content-LENGTH :  2\nContent-Type: x\n\n{}")).toEqual([body("{}")])
  })

  it("may follow a printed line (case 36)", () => {
    expect(split("starting up\r\nContent-Length: 2\r\n\r\n{}")).toEqual([
      { kind: "stray", text: "starting up" },
      body("{}"),
    ])
  })

  it("may follow a printed line and a blank one, reported once (case 37)", () => {
    const noisy = `hello\n\n${contentFrame("{}")}`
    expect(split(noisy, noisy)).toEqual([{ kind: "stray", text: "hello" }, body("{}"), body("{}")])
  })

  it("may be followed by a line feed (case 38)", () => {
    expect(split(`${contentFrame("1")}\n${contentFrame("2")}`)).toEqual([
      body("1"),
      { kind: "stray", text: "" },
      body("2"),
    ])
  })

  it("that are too large are a fault before a byte of them is read (case 39)", () => {
    expect(split("Content-Length: 5000000\r\n\r\n")).toEqual([fault("5000000 bytes")])
    expect(split("Content-Length: 99999999999999999999\r\n")).toEqual([fault("is more than")])
  })

  it("with an endless header line are a fault at 1 KiB (case 40)", () => {
    expect(split("x".repeat(1024))).toEqual([fault("in the middle")])
    expect(split("x".repeat(1000), "x".repeat(1000))).toEqual([fault("more than 1024")])
  })

  it("are not read after a fault", () => {
    expect(split("Content-Length: two\r\n\r\n", contentFrame("{}"))).toEqual([fault("not a number: two")])
    expect(split("Content-Length: -2\r\n\r\n")).toEqual([fault("not a number")])
    expect(split(Uint8Array.of(0xff, 0x0a), contentFrame("{}"))).toEqual([fault("not UTF-8")])
    expect(split("Content-Length: 1\n\n", Uint8Array.of(0xff), contentFrame("{}"))).toEqual([fault("not UTF-8")])
  })

  it("are missing: a fault after some KiB of other output", () => {
    expect(split("noise\n".repeat(2000))).toEqual([{ kind: "stray", text: "noise" }, fault("without a frame")])
  })

  it("cut off by the end of the stream are a fault; an end between two frames is not", () => {
    expect(split("Content-Length: 3\r\n\r\n12")).toEqual([fault("in the middle")])
    expect(split("Content-Le")).toEqual([fault("in the middle")])
    expect(split("")).toEqual([])
  })

  it("may be empty", () => {
    expect(split(contentFrame(""))).toEqual([body("")])
  })
})

describe("the longest body", () => {
  it("is the limit that the reader sets", () => {
    const frame = Buffer.from(contentFrame("x".repeat(5 * 1024 * 1024)))
    const kinds = [undefined, Infinity].map((most) => {
      const emitted: string[] = []
      new ContentLengthSplitter(({ kind }) => emitted.push(kind), most).push(frame)
      return emitted
    })
    expect(kinds).toEqual([["fault"], ["body"]])
  })
})
