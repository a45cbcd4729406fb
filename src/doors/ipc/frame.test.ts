import { describe, expect, it } from "vitest"
import { type Frame, textFrames } from "./frame.ts"

const mebi = 1024 * 1024

function texts(frames: readonly Frame[]): readonly string[] {
  return frames.map(({ line }) => String(Object.entries(JSON.parse(line.toString("utf8"))).at(-1)?.[1]))
}

describe("the frames of a text", () => {
  it("are one chunk at its position if it fits", () => {
    const [frame, ...more] = textFrames("stream_chunk", "missed", { turn: 3, offset: 7 })
    expect(more).toEqual([])
    expect(frame?.line.toString("utf8")).toBe('{"type":"stream_chunk","text":"missed"}\n')
    expect(frame?.position).toEqual({ turn: 3, offset: 7 })
  })

  it("are none for an empty text", () => {
    expect(textFrames("stream_chunk", "", { turn: 0, offset: 0 })).toEqual([])
  })

  it("are as many chunks as needed, each at its own position, whatever the characters", () => {
    const text = "\0".repeat(3 * mebi + 5)
    const frames = textFrames("stream_chunk", text, { turn: 1, offset: 10 })
    expect(texts(frames).join("") === text).toBe(true)
    expect(frames.map(({ position }) => position?.offset)).toEqual([10, 10 + mebi, 10 + 2 * mebi, 10 + 3 * mebi])
    for (const { line } of frames) expect(line.length).toBeLessThan(16 * mebi)
  })

  it("never split a character", () => {
    const text = `x${"😀".repeat(mebi)}`
    const parts = texts(textFrames("stream_chunk", text, { turn: 0, offset: 0 }))
    expect(parts.length).toBeGreaterThan(1)
    expect(parts.every((part) => part.isWellFormed())).toBe(true)
    expect(parts.join("") === text).toBe(true)
  })
})
