import { describe, expect, it } from "vitest"
import { fateOf, type Message } from "./rows.ts"

function said(direction: "inbound" | "outbound", text: string, at: number): Message {
  return { id: `${direction} ${text} ${at}`, direction, text, createdAt: new Date(at).toISOString() }
}

/** Newest first, as servers give them. */
function page(...messages: readonly Message[]) {
  return { messages: messages.toReversed(), hasMore: false, nextCursor: undefined }
}

const mine = { text: "hello", sentAfter: 1000, isAccepted: false }
const earlier = [said("inbound", "hello", 500), said("outbound", "hi", 600)]

describe("what the messages say about a turn", () => {
  it("is nothing when its message is not there", () => {
    expect(fateOf(page(...earlier), mine)).toEqual({ kind: "absent" })
    expect(fateOf(page(), mine)).toEqual({ kind: "absent" })
  })

  it("is its reply, which is the last one before anybody else speaks", () => {
    const reply = said("outbound", "second", 1300)
    const rows = [said("inbound", "hello", 1000), said("outbound", "first", 1200), reply]
    expect(fateOf(page(...earlier, ...rows), mine)).toEqual({ kind: "replied", reply })
    const later = [said("inbound", "hello", 1400), said("outbound", "third", 1500)]
    expect(fateOf(page(...earlier, ...rows, ...later), mine)).toEqual({ kind: "replied", reply })
  })

  it("is that it is stored when nothing follows it", () => {
    expect(fateOf(page(...earlier, said("inbound", "hello", 1001)), mine)).toEqual({ kind: "stored" })
  })

  it("cannot be told when somebody said something else, unless it is known to be there", () => {
    const rows = page(...earlier, said("inbound", "‹redacted›", 1001), said("outbound", "ok", 1002))
    expect(fateOf(rows, mine)).toEqual({ kind: "unknown" })
    expect(fateOf(rows, { ...mine, isAccepted: true })).toMatchObject({ kind: "replied", reply: { text: "ok" } })
  })

  it("cannot be told without a time, or when there are newer rows than were read", () => {
    expect(fateOf(page(...earlier), { ...mine, sentAfter: undefined })).toEqual({ kind: "unknown" })
    const newer = { ...page(said("outbound", "x", 2000)), hasMore: true }
    expect(fateOf(newer, mine)).toEqual({ kind: "unknown" })
    expect(fateOf(page({ ...said("inbound", "x", 0), createdAt: "" }), mine)).toEqual({ kind: "unknown" })
  })

  it("is the newest reply for a turn of somebody else", () => {
    const joined = { text: undefined, sentAfter: undefined, isAccepted: true }
    expect(fateOf(page(...earlier), joined)).toMatchObject({ kind: "replied", reply: { text: "hi" } })
    expect(fateOf(page(...earlier, said("inbound", "x", 700)), joined)).toEqual({ kind: "stored" })
    expect(fateOf(page(), joined)).toEqual({ kind: "unknown" })
  })
})
