import { describe, expect, it } from "vitest"
import { findOutcome, type Message } from "./messages.ts"

function message(direction: "inbound" | "outbound", text: string, at: number): Message {
  return { id: `${direction} ${text} ${at}`, direction, text, createdAt: new Date(at).toISOString() }
}

/** Newest first, as servers send them. */
function page(...messages: readonly Message[]) {
  return { messages: messages.toReversed(), hasMore: false, nextCursor: undefined }
}

const own = { text: "hello", sentAfter: 1000, isAccepted: false }
const earlier = [message("inbound", "hello", 500), message("outbound", "hi", 600)]

describe("findOutcome", () => {
  it("is absent when the message is not stored", () => {
    expect(findOutcome(page(...earlier), own)).toEqual({ kind: "absent" })
    expect(findOutcome(page(), own)).toEqual({ kind: "absent" })
  })

  it("is replied with the last outbound message before the next inbound one", () => {
    const reply = message("outbound", "second", 1300)
    const rows = [message("inbound", "hello", 1000), message("outbound", "first", 1200), reply]
    expect(findOutcome(page(...earlier, ...rows), own)).toEqual({ kind: "replied", reply })
    const later = [message("inbound", "hello", 1400), message("outbound", "third", 1500)]
    expect(findOutcome(page(...earlier, ...rows, ...later), own)).toEqual({ kind: "replied", reply })
  })

  it("is stored when nothing follows the message", () => {
    expect(findOutcome(page(...earlier, message("inbound", "hello", 1001)), own)).toEqual({ kind: "stored" })
  })

  it("is unknown when only another message is there, unless the own one is known to be stored", () => {
    const rows = page(...earlier, message("inbound", "‹redacted›", 1001), message("outbound", "ok", 1002))
    expect(findOutcome(rows, own)).toEqual({ kind: "unknown" })
    expect(findOutcome(rows, { ...own, isAccepted: true })).toMatchObject({ kind: "replied", reply: { text: "ok" } })
  })

  it("is unknown without a time, or when the page does not reach back far enough", () => {
    expect(findOutcome(page(...earlier), { ...own, sentAfter: undefined })).toEqual({ kind: "unknown" })
    const newer = { ...page(message("outbound", "x", 2000)), hasMore: true }
    expect(findOutcome(newer, own)).toEqual({ kind: "unknown" })
    expect(findOutcome(page({ ...message("inbound", "x", 0), createdAt: "" }), own)).toEqual({ kind: "unknown" })
  })

  it("is the newest reply for a turn of another client", () => {
    const joined = { text: undefined, sentAfter: undefined, isAccepted: true }
    expect(findOutcome(page(...earlier), joined)).toMatchObject({ kind: "replied", reply: { text: "hi" } })
    expect(findOutcome(page(...earlier, message("inbound", "x", 700)), joined)).toEqual({ kind: "stored" })
    expect(findOutcome(page(), joined)).toEqual({ kind: "unknown" })
  })
})
