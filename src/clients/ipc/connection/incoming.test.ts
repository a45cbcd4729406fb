import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sealingKey } from "../../../protocols/ipc/sealing.ts"
import { open, seal } from "../../../transports/framing/sealed-frames.ts"
import { Incoming, type IncomingData } from "./incoming.ts"

const key = sealingKey("token")

function dataOf(bytes: Uint8Array, cuts: readonly number[]): readonly string[] {
  const data: string[] = []
  const incoming = new Incoming(1000, (piece) => data.push(worded(piece)))
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  for (const [index, from] of at.entries()) incoming.push(bytes.subarray(from, at[index + 1] ?? from))
  incoming.end()
  return data
}

function worded(data: IncomingData): string {
  if (data.kind === "text") return data.text
  if (data.kind === "sealed") return `sealed ${open(key, data.frame)?.toString()}`
  return `${data.kind}: ${data.what}`
}

const cuts = fc.array(fc.nat(), { maxLength: 20 })

describe("what comes from an agent", () => {
  it("is lines until the first sealed frame, however it is cut into pieces", () => {
    const bytes = Buffer.concat([
      Buffer.from('{"a":"Grüße"}\r\n\n{"b":1}\n'),
      seal(key, Buffer.from("one")),
      seal(key, Buffer.from("two\n")),
    ])
    const whole = ['{"a":"Grüße"}', "", '{"b":1}', "sealed one", "sealed two\n"]
    fc.assert(
      fc.property(cuts, (given) => {
        expect(dataOf(bytes, given)).toEqual(whole)
      }),
    )
  })

  it("may end without an end of line, and be too long or no text", () => {
    const bytes = Buffer.concat([Buffer.from(`${"x".repeat(1001)}\n`), Buffer.from([0xff, 0x0a]), Buffer.from("last")])
    const whole = ["noise: a line of 1001 bytes", "noise: no UTF-8", "last"]
    fc.assert(
      fc.property(cuts, (given) => {
        expect(dataOf(bytes, given)).toEqual(whole)
      }),
    )
  })

  it("is broken by a sealed frame that is too long", () => {
    expect(dataOf(Buffer.from([0x01, 0x00, 0x00, 0x01, 0x41]), [])).toEqual([
      "broken: a sealed frame of 16777217 bytes",
    ])
  })
})
