import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { open, seal, SealedSplitter, type SealedFrame } from "./sealed-frames.ts"

const key = Buffer.from("41ffe43a0701fdbb75d5f27bdfa99a445399004508f5492873f22b8897168f9e", "hex")
const nonce = Buffer.from("000102030405060708090a0b", "hex")
const known = "0000002d000102030405060708090a0bb68fa823201fffc687e408ecc94bbc563b32026606b355a27a7943978f60187687"

function split(chunks: readonly Uint8Array[], limit = 1000): SealedFrame[] {
  const frames: SealedFrame[] = []
  const splitter = new SealedSplitter(limit, (frame) => frames.push(frame))
  for (const chunk of chunks) splitter.push(chunk)
  return frames
}

const opened = (frames: readonly SealedFrame[]) =>
  frames.map((frame) => (frame.kind === "frame" ? open(key, frame.bytes)?.toString() : frame))

describe("sealed frames", () => {
  it("are the same as those of other implementations", () => {
    expect(seal(key, Buffer.from('{"type":"cancel"}'), nonce).toString("hex")).toBe(known)
    expect(opened(split([Buffer.from(known, "hex")]))).toEqual(['{"type":"cancel"}'])
  })

  it("decode to what was sealed, however the stream is cut", () => {
    const cuts = fc.array(fc.nat(400), { maxLength: 20 })
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 40 }), { maxLength: 5 }), cuts, (texts, at) => {
        const bytes = Buffer.concat(texts.map((text) => seal(key, Buffer.from(text))))
        const places = [0, ...at.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b)
        expect(opened(split(places.map((place, index) => bytes.subarray(places[index - 1] ?? 0, place))))).toEqual(
          texts,
        )
      }),
    )
  })

  it("have a new nonce each time", () => {
    expect(seal(key, Buffer.from("x"))).not.toEqual(seal(key, Buffer.from("x")))
  })

  it("cannot be opened after a bit was changed, with another key, or when too short", () => {
    const frame = seal(key, Buffer.from("secret")).subarray(4)
    for (let bit = 0; bit < frame.length * 8; bit++) {
      const changed = Buffer.from(frame)
      changed.writeUInt8((changed[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3)
      expect(open(key, changed)).toBeUndefined()
    }
    expect(open(Buffer.alloc(32), frame)).toBeUndefined()
    for (let length = 0; length < frame.length; length++) expect(open(key, frame.subarray(0, length))).toBeUndefined()
  })

  it("that are too long end the stream before a byte is kept", () => {
    const long = Buffer.from([0xff, 0xff, 0xff, 0xff])
    const tooLong = { kind: "too-long", bytes: 0xffff_ffff }
    expect(split([long, seal(key, Buffer.from("x"))])).toEqual([tooLong])
    const text = Buffer.from("x".repeat(72))
    expect(split([seal(key, text)], 100)).toHaveLength(1)
    expect(split([seal(key, text)], 99)).toEqual([{ kind: "too-long", bytes: 100 }])
  })

  it("may be empty, which cannot be opened", () => {
    expect(opened(split([Buffer.alloc(8)]))).toEqual([undefined, undefined])
  })
})
