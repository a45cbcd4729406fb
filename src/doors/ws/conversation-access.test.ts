import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { HostPort } from "../../contract/host-port.ts"
import { StubSession, stubPort } from "../../testing/doors/stub-port.ts"
import { ConversationAccess } from "./conversation-access.ts"

const [theirs, nothing] = ["01890000-0000-7000-8000-00000000000a", "01890000-0000-7000-8000-00000000000b"]
const caller = { principal: "ada", org: "acme", owner: "ada@acme.example" }

/** One session of another organisation, and nothing else. */
const query: HostPort["query"] = async (asked) => {
  const wanted = asked.type === "visit" ? asked.visitId : "sessionId" in asked ? asked.sessionId : ""
  if (wanted !== theirs) return { kind: "refused", refusal: { code: "session.unknown", wanted } }
  if (asked.type === "visit" && asked.brief !== true) throw new Error("another's session was read")
  const line = { sessionId: theirs, status: { org: "other", owner: "" } }
  return { kind: "answer", value: asked.type === "visit" ? { ...line, visit: { visitId: theirs } } : line }
}

describe("what is another's, and what is not there", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it.each(["conversation", "visit"] as const)("take the same time to be a no: %s", async (what) => {
    const access = new ConversationAccess(stubPort(new StubSession(), { query }), caller)
    const told: string[] = []
    for (const id of [theirs, nothing, "no id at all"])
      void access[what](id).then((found) => told.push(`${id} ${found === undefined ? "no" : "yes"}`))
    await vi.advanceTimersByTimeAsync(19)
    expect(told).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(told.toSorted()).toEqual([theirs, nothing, "no id at all"].map((id) => `${id} no`).toSorted())
  })
})
