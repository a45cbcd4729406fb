import { describe, expect, it } from "vitest"
import { noStatus } from "../projection/status.ts"
import { emptySnapshot } from "../protocols/ipc/view/fixtures/view-recorder.ts"
import { checks } from "./generated/answers.js"

/** As it arrives over a socket. */
function received(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

const line = { sessionId: "01890000-0000-7000-8000-000000000001", createdAt: 1, updatedAt: 2, seq: 3 }
const { model, turns, usage } = noStatus

describe("the check of an answer", () => {
  it("fills in the fields of a session line that an older release does not send", () => {
    const lines = received([{ ...line, host: null, activity: "idle", status: { model, turns, usage } }])
    expect(checks.sessions(lines)).toBe(true)
    expect(lines).toEqual(received([{ ...line, host: null, activity: "idle", status: noStatus }]))
  })

  it("fills in the fields of a snapshot that an older release does not send", () => {
    const { start: _start, restSeq: _rest, asked: _asked, references: _references, ...older } = emptySnapshot
    const { hintsReferences: _hints, ...oldest } = older
    const snapshot = received(oldest)
    expect(checks.scene(snapshot)).toBe(true)
    expect(snapshot).toEqual(received(emptySnapshot))
  })

  it("keeps fields that it does not know", () => {
    const snapshot = received({ ...emptySnapshot, colour: "red" })
    expect(checks.scene(snapshot)).toBe(true)
    expect(snapshot).toMatchObject({ colour: "red" })
  })

  it.each([
    ["null", null],
    ["a list", []],
    ["without a sequence number", { ...emptySnapshot, seq: undefined }],
    ["with items that are not a list", { ...emptySnapshot, items: 5 }],
    ["with an item of an unknown kind", { ...emptySnapshot, items: [{ kind: "song", seq: 1, at: 1 }] }],
    ["with an item that lacks a field", { ...emptySnapshot, items: [{ kind: "assistant", seq: 1, at: 1 }] }],
    ["with an incomplete status", { ...emptySnapshot, status: {} }],
    ["with requests that are not a list", { ...emptySnapshot, asked: "x" }],
  ])("rejects a snapshot that is %s", (_, snapshot) => {
    expect(checks.scene(received(snapshot))).toBe(false)
  })
})
