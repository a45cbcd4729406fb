import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { limits } from "../../contract/limits.ts"
import { addOutput, lastLines, type OutputPiece } from "../../contract/rules/live-output.ts"
import { createRedactor } from "../../secrets/redactor.ts"
import { LiveOutput, type LivePiece } from "./live-output.ts"

const secret = "hunter2-Zq8vKx41Lm"
const redactor = createRedactor({ secrets: [{ name: "TOKEN", value: secret }], key: Buffer.from("key") })

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })
})
afterEach(() => {
  vi.useRealTimers()
})

function open() {
  const pieces: LivePiece[] = []
  const live = new LiveOutput(redactor, (piece) => pieces.push(piece))
  const push = (text: string | Uint8Array, source = "output") => live.push(Buffer.from(text), source)
  const tick = () => vi.advanceTimersByTime(limits.liveOutputMs)
  const text = () => pieces.map(({ output }) => output.text).join("")
  return { live, pieces, push, tick, text }
}

/** The messages when every chunk arrives after a long silence. */
function messages(...chunks: readonly string[]): readonly string[] {
  const { pieces, push, tick } = open()
  for (const chunk of chunks) {
    push(chunk)
    tick()
  }
  return pieces.map(({ message }) => message)
}

describe("live output", () => {
  it("publishes the first output at once and later output merged, with positions that continue", () => {
    const { pieces, push, tick } = open()
    push("one\n")
    expect(pieces).toEqual([{ message: "one", output: { from: 0, text: "one\n" } }])
    for (let count = 0; count < 1000; count++) push("x")
    expect(pieces.length).toBe(1)
    tick()
    expect(pieces.slice(1).map(({ output }) => output)).toEqual([{ from: 4, text: "x".repeat(1000) }])
    tick()
    expect(pieces.length).toBe(2)
  })

  it("redacts a secret that arrives in two pieces, also a tick apart", () => {
    const { push, tick, text } = open()
    push(`token ${secret.slice(0, 9)}`)
    tick()
    expect(text()).not.toContain(secret.slice(0, 4))
    push(`${secret.slice(9)} end\n`)
    tick()
    expect(text()).toMatch(/^token ‹redacted:TOKEN:....› end\n$/)
  })

  it("redacts a secret of one stream although the other prints in between", () => {
    const { push, tick, text } = open()
    push(secret.slice(0, 9), "stdout")
    push("noise\n", "stderr")
    tick()
    push(`${secret.slice(9)}\n`, "stdout")
    tick()
    expect(text()).toMatch(/^noise\n‹redacted:TOKEN:....›\n$/)
  })

  it("does not split a character", () => {
    const { push, tick, text } = open()
    const bytes = Buffer.from("é😀")
    for (const byte of bytes) {
      push(Buffer.from([byte]))
      tick()
    }
    expect(text()).toBe("é😀")
  })

  it("shows the newest part of a flood, redacted at its cut, in bounded pieces", () => {
    const { live, pieces, push, tick } = open()
    push("first\n")
    const line = `${secret}${".".repeat(13)}\n`
    for (let count = 0; count < 20_000; count++) push(line)
    push("last\n")
    tick()
    const [, flood] = pieces
    expect(flood?.output.text.length).toBeLessThanOrEqual(limits.liveOutputLength)
    expect(flood?.output.from).toBeGreaterThan(500_000)
    expect(flood?.output.text).toMatch(/last\n$/)
    expect(flood?.output.text).not.toMatch(/hunter2|41Lm/)
    expect(live.soFar?.output).toEqual(flood?.output)
  })

  it("has the newest part for a client that joins, and publishes nothing after its end", () => {
    const { live, pieces, push, tick } = open()
    expect(live.soFar).toBeUndefined()
    push("one\n")
    push("two\n")
    tick()
    expect(live.soFar).toEqual({ message: "two", output: { from: 0, text: "one\ntwo\n" } })
    push("three\n")
    live.stop()
    push("four\n")
    tick()
    expect(pieces.length).toBe(2)
  })
})

describe("the message", () => {
  it("is the newest complete line, or the first one while it is incomplete", () => {
    expect(messages("half a li")).toEqual(["half a li"])
    expect(messages("half a li", "ne\n")).toEqual(["half a li", "half a line"])
    expect(messages("one\ntwo\nthr")).toEqual(["two"])
    expect(messages("10 %\r20 %\r30")).toEqual(["20 %"])
  })

  it("is the last non-blank line, without colours", () => {
    expect(messages("one\n\u001b[31mtwo\u001b[0m\n\n  \n")).toEqual(["two"])
    expect(messages("\n\n")).toEqual([""])
  })

  it("is cut when it is long", () => {
    expect(messages(`${"x".repeat(5000)}\n`)).toEqual(["x".repeat(200)])
    expect(messages(`${"x".repeat(100_000)}\nshort\n`)).toEqual(["short"])
  })
})

describe("a client's tail", () => {
  const fold = (...pieces: readonly OutputPiece[]) => pieces.reduce<OutputPiece | undefined>(addOutput, undefined)

  it("joins pieces, drops repeated parts, and starts anew after a gap", () => {
    expect(fold({ from: 0, text: "abc" }, { from: 3, text: "def" })).toEqual({ from: 0, text: "abcdef" })
    expect(fold({ from: 2, text: "cdef" }, { from: 4, text: "efg" })).toEqual({ from: 2, text: "cdefg" })
    expect(fold({ from: 0, text: "abc" }, { from: 0, text: "abc" })).toEqual({ from: 0, text: "abc" })
    expect(fold({ from: 0, text: "abc" }, { from: 90, text: "xyz" })).toEqual({ from: 90, text: "xyz" })
  })

  it("keeps a bounded part without half a character", () => {
    const tail = fold({ from: 0, text: "😀".repeat(limits.liveOutputLength) }, { from: 32_768, text: "x" })
    expect(tail?.text.length).toBeLessThanOrEqual(limits.liveOutputLength)
    expect(tail?.text.isWellFormed()).toBe(true)
    expect((tail?.from ?? 0) + (tail?.text.length ?? 0)).toBe(32_769)
  })

  it("has last lines, without a line whose beginning is missing and without what a progress bar has overwritten", () => {
    expect(lastLines({ from: 0, text: "one\n\ntwo\r\n10 %\r20 %\r" }, 4)).toEqual(["one", "two", "20 %"])
    expect(lastLines({ from: 7, text: "ne\ntwo\nthree" }, 4)).toEqual(["two", "three"])
    expect(lastLines({ from: 0, text: "a\nb\nc\n" }, 2)).toEqual(["b", "c"])
  })
})
