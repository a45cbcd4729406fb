import { describe, expect, it } from "vitest"
import type { WatchItem } from "../../contract/host-port.ts"
import { encodeEvent } from "../../contract/stored-event.ts"
import { decodeHostFrame } from "./codec.ts"
import { encodeItem } from "./codec.ts"

const sessionId = "01890000-0000-7000-8000-000000000001"
const recorded = { seq: 7, at: 1, event: { type: "text.ended", stepId: "stp_1", block: 0, text: "„hello“\n" } } as const

function textOf(item: WatchItem): string {
  return Buffer.from(encodeItem(sessionId, item)).toString()
}

describe("an item of a session", () => {
  it("is encoded once for all clients", () => {
    const item: WatchItem = { kind: "event", recorded }
    expect(encodeItem(sessionId, item)).toBe(encodeItem(sessionId, item))
  })

  it("carries an event as the text that is stored", () => {
    expect(textOf({ kind: "event", recorded })).toBe(
      `{"type":"event","sessionId":"${sessionId}","seq":7,"event":${encodeEvent(recorded)}}\n`,
    )
  })

  it.each<WatchItem>([
    { kind: "event", recorded },
    { kind: "delta", delta: { type: "text.delta", stepId: "stp_1", block: 0, delta: "a\nb" } },
    { kind: "streamed", stepId: "stp_1", blocks: [{ block: 0, kind: "text", text: "so far" }] },
    { kind: "lost", refusal: { code: "host.gone" } },
  ])("is one line with one frame: $kind", (item) => {
    const text = textOf(item)
    expect(text.indexOf("\n")).toBe(text.length - 1)
    expect(decodeHostFrame(text)).toMatchObject({ kind: "frame", frame: { sessionId } })
  })
})
