import { describe, expect, it } from "vitest"
import { stripVTControlCharacters } from "node:util"
import { LiveRegion } from "./live-region.ts"
import { LiveTail } from "./live-tail.ts"

function open(columns = 80) {
  const written: string[] = []
  const region = new LiveRegion({
    columns,
    rows: 24,
    write(text: string | Uint8Array) {
      written.push(String(text))
      return true
    },
  })
  const tail = new LiveTail(region)
  return { tail, written, last: () => stripVTControlCharacters(written.at(-1) ?? "") }
}

describe("the tail on a terminal", () => {
  it("shows the last lines of the output and replaces them", () => {
    const { tail, written, last } = open()
    tail.print("cal_1", { from: 0, text: "one\ntwo\n" })
    expect(last()).toBe("  one\n  two\n")
    tail.print("cal_1", { from: 8, text: "three\nfour\nfive\n" })
    expect(written.at(-1)?.startsWith("\r\u001b[2A\u001b[J")).toBe(true)
    expect(last().trimStart()).toBe("two\n  three\n  four\n  five\n")
    tail.end("cal_1")
    expect(written.at(-1)).toBe("\r\u001b[4A\u001b[J")
  })

  it("writes nothing where nothing is shown", () => {
    const { tail, written } = open()
    tail.clear()
    tail.print("cal_1", { from: 0, text: "\n" })
    expect(written).toEqual([])
  })

  it("cuts lines that would wrap and shows no control characters of a program", () => {
    const { tail, last } = open(20)
    tail.print("cal_1", { from: 0, text: `${"x".repeat(100)}\n\u001b[2Jcleared\u0007\n` })
    expect(last()).toBe(`  ${"x".repeat(16)}…\n  cleared�\n`)
  })
})
