import { expect, it } from "vitest"
import { storyPush, storyRemoteLog } from "../../../src/contract/rules/stories.ts"
import type { CallEntry } from "../../../src/projection/transcript.ts"
import { storyPlace } from "./story-place.ts"

const approval: NonNullable<CallEntry["approval"]> = { id: "apr_1", reason: "a push" }

function call(command: string, state: CallEntry["state"], more: Partial<CallEntry> = {}): CallEntry {
  return {
    kind: "call",
    seq: 1,
    at: 100,
    planId: undefined,
    callId: "cal_1",
    tool: "bash",
    input: { command },
    state,
    ...more,
  }
}

const asked = call(storyPush, "asked", { approval })
const approved = { approval: { ...approval, outcome: "approved", decidedAt: 300 }, startedAt: 301 } as const
const pushed = call(storyPush, "done", approved)
const log = call(storyRemoteLog, "done", { output: "b fix\na beginning\n" })

it("begins with the work of the agent", () => {
  const items = [call("node refund.test.mjs", "failed")]
  expect(storyPlace({ items, askedAt: undefined, serverStartedAt: 1 })).toEqual({ kind: "working" })
})

it("asks for the server to be killed, until it was started after the request", () => {
  const facts = { items: [asked], askedAt: 100 }
  expect(storyPlace({ ...facts, serverStartedAt: 1 })).toEqual({ kind: "kill" })
  expect(storyPlace({ ...facts, serverStartedAt: undefined })).toEqual({ kind: "kill" })
  expect(storyPlace({ ...facts, serverStartedAt: 200 })).toEqual({ kind: "decide" })
})

it("ends with what is stored: one start, and the log of the remote", () => {
  const place = storyPlace({ items: [pushed, log], askedAt: undefined, serverStartedAt: 200 })
  expect(place).toEqual({ kind: "done", push: pushed, starts: 1, commits: 2, isAcrossStart: true })
})

it.each([1, 400])("does not claim a crash between where the server was started at %i", (serverStartedAt) => {
  const place = storyPlace({ items: [pushed], askedAt: undefined, serverStartedAt })
  expect(place).toMatchObject({ commits: undefined, isAcrossStart: false })
})

it("ends without a push when it is denied", () => {
  const items = [call(storyPush, "refused", { approval: { ...approval, outcome: "denied" } })]
  expect(storyPlace({ items, askedAt: undefined, serverStartedAt: 1 })).toEqual({ kind: "denied" })
})
