import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { HostPort } from "../../contract/host-port.ts"
import { StubSession, stubPort } from "../../testing/doors/stub-port.ts"
import { ConversationAccess } from "./conversation-access.ts"

const [foreign, unknown] = ["01890000-0000-7000-8000-00000000000a", "01890000-0000-7000-8000-00000000000b"]
const caller = { principal: "ada", org: "acme", owner: "ada@acme.example" }

/** Has only one session, of another organisation. */
const query: HostPort["query"] = async (asked) => {
  const wanted = asked.type === "visit" ? asked.visitId : "sessionId" in asked ? asked.sessionId : ""
  if (wanted !== foreign) return { kind: "refused", refusal: { code: "session.unknown", wanted } }
  if (asked.type === "visit" && asked.brief !== true) throw new Error("a foreign session was read")
  const line = { sessionId: foreign, status: { org: "other", owner: "" } }
  return { kind: "answer", value: asked.type === "visit" ? { ...line, visit: { visitId: foreign } } : line }
}

describe("ConversationAccess", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it.each(["conversation", "visit"] as const)(
    "takes the same time for an object of another owner and one that does not exist: %s",
    async (what) => {
      const access = new ConversationAccess(stubPort(new StubSession(), { query }), caller)
      const answers: string[] = []
      for (const id of [foreign, unknown, "not an id"])
        void access[what](id).then((found) => answers.push(`${id} ${found === undefined ? "no" : "yes"}`))
      await vi.advanceTimersByTimeAsync(19)
      expect(answers).toEqual([])
      await vi.advanceTimersByTimeAsync(1)
      expect(answers.toSorted()).toEqual([foreign, unknown, "not an id"].map((id) => `${id} no`).toSorted())
    },
  )
})
