import { expect, it } from "vitest"
import { openRequests } from "../../host/queries/open-requests.ts"
import type { EventLog } from "../../log/event-log.ts"
import { newSession, next, prompt, testHost, testTool, you, type TestHost } from "../../testing/test-host.ts"
import { scriptedSource } from "../../testing/index.ts"
import { listGrants, settledApproval } from "./approvals.ts"

const input = { command: "make" }
const tool = testTool("bash", () => ({ outcome: "done", output: "made" }))

async function openTestHost(): Promise<TestHost> {
  const steps = [[{ call: { tool: "bash", input } }], [{ text: "Done." }]]
  return testHost(scriptedSource([...steps, ...steps]), [tool])
}

async function sessionWithApproval({ host }: TestHost, cwd = "/work") {
  const session = await newSession(host, { preset: "careful", cwd })
  const request = next(session, "approval.requested")
  await prompt(session, "build it")
  return { session, request: await request }
}

it("finds a pending request with its exact arguments, in an open and in a closed session", async () => {
  const place = await openTestHost()
  const { session, request } = await sessionWithApproval(place)
  const { approvalId, digest, reason } = request
  const found = [{ request: { approvalId, digest, reason }, input }]
  const expected = { kind: "ok", value: { requests: found, unreadable: [] } }
  expect(await openRequests(place.log)).toMatchObject(expected)
  await place.host.closeSession(session.id) // leaves a snapshot and nothing after it
  expect(await openRequests(place.log)).toMatchObject(expected)
})

it("finds an answered request only as settled, with who answered", async () => {
  const place = await openTestHost()
  const { session, request } = await sessionWithApproval(place)
  const { approvalId } = request
  expect(await settledApproval(place.log, approvalId)).toBeUndefined()
  await session.send({ type: "approve", approvalId, approved: false }, you)
  expect(await openRequests(place.log)).toEqual({ kind: "ok", value: { requests: [], unreadable: [] } })
  expect(await settledApproval(place.log, approvalId)).toEqual({
    code: "approval.settled",
    approvalId,
    outcome: "denied",
    by: you,
  })
})

it("finds requests of other sessions if one cannot be read", async () => {
  const place = await openTestHost()
  const { session: broken } = await sessionWithApproval(place)
  const { approvalId } = (await sessionWithApproval(place)).request
  const refusal = { code: "session.damaged", sessionId: broken.id, seq: 3, what: "it is missing" } as const
  const damaged = new Proxy(place.log, {
    get: (log, name: Exclude<keyof EventLog, "cluster">) => {
      if (name !== "load") return log[name].bind(log)
      return async (id: string) => (id === broken.id ? { kind: "refused", refusal } : log.load(id))
    },
  })
  expect(await openRequests(damaged)).toMatchObject({
    kind: "ok",
    value: { requests: [{ request: { approvalId } }], unreadable: [refusal] },
  })
})

it("finds permissions with the session in which they were given", async () => {
  const place = await openTestHost()
  const { session, request } = await sessionWithApproval(place)
  const remember = { scope: "folder", pattern: "make" } as const
  const granted = next(session, "policy.granted")
  await session.send({ type: "approve", approvalId: request.approvalId, approved: true, remember }, you)
  const { grantId } = await granted
  expect(await listGrants(place.log)).toMatchObject({
    grants: [{ grant: { grantId, tool: "bash", ...remember }, session: { row: { sessionId: session.id } } }],
  })
})
