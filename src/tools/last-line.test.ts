import { describe, expect, it } from "vitest"
import { LastLine } from "./bash.ts"

/** What is reported when every chunk arrives after a long silence. */
function told(...chunks: readonly string[]): readonly string[] {
  const lines: string[] = []
  const lastLine = new LastLine((line) => lines.push(line))
  for (const chunk of chunks) lastLine.push(Buffer.from(chunk))
  lastLine.stop()
  return lines
}

describe("the newest line", () => {
  it("is reported once it is complete", () => {
    expect(told("half a se")).toEqual([])
    expect(told("half a se", "cret\n")).toEqual(["half a secret"])
    expect(told("one\ntwo\nthr")).toEqual(["two"])
    expect(told("10 %\r20 %\r30")).toEqual(["20 %"])
  })

  it("is the last non-blank line, without colours", () => {
    expect(told("one\n\u001b[31mtwo\u001b[0m\n\n  \n")).toEqual(["two"])
    expect(told("\n\n")).toEqual([])
  })

  it("is not reported when it is too long, in one chunk or in several", () => {
    expect(told(`${"x".repeat(5000)}\n`)).toEqual([])
    expect(told(...Array.from({ length: 50 }, () => "x".repeat(100)), "\n")).toEqual([])
    expect(told(`${"x".repeat(100_000)}\nshort\n`)).toEqual(["short"])
  })
})
