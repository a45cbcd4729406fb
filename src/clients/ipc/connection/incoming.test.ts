import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sealingKey } from "../../../protocols/ipc/handshake.ts"
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

describe("Incoming", () => {
  it("yields lines until the first sealed frame, for any chunking", () => {
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

  it("reports long and non-UTF-8 lines as noise, and yields a last line without newline", () => {
    const bytes = Buffer.concat([Buffer.from(`${"x".repeat(1001)}\n`), Buffer.from([0xff, 0x0a]), Buffer.from("last")])
    const whole = ["noise: a line of 1001 bytes", "noise: no UTF-8", "last"]
    fc.assert(
      fc.property(cuts, (given) => {
        expect(dataOf(bytes, given)).toEqual(whole)
      }),
    )
  })

  it("reports a sealed frame that is too long as broken", () => {
    expect(dataOf(Buffer.from([0x01, 0x00, 0x00, 0x01, 0x41]), [])).toEqual([
      "broken: a sealed frame of 16777217 bytes",
    ])
  })
})
