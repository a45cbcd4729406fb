import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { SessionLine } from "../../contract/views/status.ts"
import { noStatus } from "../../projection/status.ts"
import { StubSession, stubPort, stubQueries } from "../../testing/doors/stub-port.ts"
import { ConversationAccess } from "./conversation-access.ts"

const [foreign, unknown] = ["01890000-0000-7000-8000-00000000000a", "01890000-0000-7000-8000-00000000000b"]
const caller = { principal: "ada", org: "acme", owner: "ada@acme.example" }

const line: SessionLine = {
  sessionId: foreign,
  createdAt: 0,
  updatedAt: 0,
  seq: 1,
  host: null,
  activity: "idle",
  status: { ...noStatus, org: "other" },
}
const visit = { visitId: foreign, agentId: "a", principal: "p", contact: {}, participants: { user: "u", agent: "a" } }

/** Has only one session, of another organisation. */
const query = stubQueries({
  session: async ({ sessionId }) =>
    sessionId === foreign ? { kind: "answer", value: { ...line, watching: [] } } : sessionUnknown(sessionId),
  visit: async ({ visitId, brief }) => {
    if (visitId !== foreign) return sessionUnknown(visitId)
    if (brief !== true) throw new Error("a foreign session was read")
    return { kind: "answer", value: { sessionId: foreign, visit } }
  },
})

function sessionUnknown(wanted: string) {
  return { kind: "refused", refusal: { code: "session.unknown", wanted } } as const
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
