import { expect, it } from "vitest"
import type { Step } from "../../../models/offline/part.ts"
import { history, newSession, next, prompt, reopen, testHost, testTool, turn, you } from "../../../testing/test-host.ts"
import { scriptedSource } from "../../../testing/index.ts"
import type { HostServices } from "../../../host/session-host.ts"
import type { ConnectionAnswer, ToolContext } from "../../../tools/tool.ts"

const script: readonly Step[] = [[{ call: { tool: "work", input: {} } }], [{ text: "Done." }]]
const destination = { host: "example.com", port: 443 }
const never = new AbortController().signal

type Work = (context: ToolContext) => Promise<string>

async function world(work: Work, change: Partial<HostServices> = {}, times = 1) {
  const tool = testTool("work", async (_input, context) => ({ outcome: "done", output: await work(context) }))
  const made = await testHost(scriptedSource(Array.from({ length: times }, () => script).flat()), [tool], change)
  return { ...made, session: await newSession(made.host) }
}

async function connect({ connect: ask }: ToolContext, to = destination, signal = never): Promise<string> {
  const answer: ConnectionAnswer | undefined = await ask?.(to, signal)
  return answer?.kind === "refused" ? answer.reason : (answer?.kind ?? "cannot ask")
}

it("asks while the call runs, and the call goes on with the answer", async () => {
  const { session, log } = await world(connect)
  const asked = next(session, "approval.requested")
  const ended = next(session, "tool.ended")
  await prompt(session, "work")
  const { approvalId, digest, ...request } = await asked
  expect(request).toMatchObject({
    tool: "network",
    reason: "work wants to connect to example.com:443.",
    audience: "driver",
    causes: ["confirm"],
    connection: destination,
  })
  expect(session.state.turn?.step?.calls[0]?.phase).toBe("started")
  await session.send({ type: "approve", approvalId, digest, approved: true }, you)
  expect(await ended).toMatchObject({ outcome: "done", output: "allowed" })
  const types = (await history(log, session.id)).map(({ type }) => type)
  expect(types.filter((type) => type === "tool.started")).toHaveLength(1)
})

it("a no refuses the connection, not the call", async () => {
  const { session, log } = await world(connect)
  const asked = next(session, "approval.requested")
  const ended = next(session, "turn.ended")
  await prompt(session, "work")
  const { approvalId } = await asked
  await session.send({ type: "approve", approvalId, approved: false, note: "not there" }, you)
  expect(await ended).toMatchObject({ reason: "done" })
  const events = await history(log, session.id)
  expect(events).toContainEqual(expect.objectContaining({ type: "tool.ended", output: "you denied it (not there)" }))
  expect(events.filter(({ type }) => type === "tool.refused")).toEqual([])
})

it.for([
  ["session", "example.com", destination, true],
  ["session", "example.com", { host: "example.com", port: 80 }, true],
  ["session", "example.com", { host: "example.com", port: 22 }, false],
  ["folder", "*.example.com", { host: "www.example.com", port: 443 }, true],
  ["folder", "*.example.com", { host: "evilexample.com", port: 443 }, false],
] as const)("a permission for the %s, %s, covers %o: %s", async ([scope, pattern, later, isCovered]) => {
  let to = destination
  const { session } = await world((context) => connect(context, to), {}, 2)
  const asked = next(session, "approval.requested")
  const granted = next(session, "policy.granted")
  const ended = next(session, "turn.ended")
  await prompt(session, "work")
  const { approvalId } = await asked
  await session.send({ type: "approve", approvalId, approved: true, remember: { pattern, scope } }, you)
  expect(await granted).toMatchObject({ tool: "network", pattern, scope, by: you })
  await ended
  to = later
  const again = next(session, "approval.requested")
  const settled = next(session, "tool.ended")
  await prompt(session, "work")
  expect(await Promise.race([again.then(() => false), settled.then(() => true)])).toBe(isCovered)
})

it("is refused at once where no person can be asked, which is on record", async () => {
  const { session, log } = await world(connect, { approvalWaitMs: 0 })
  await turn(session, "work")
  const events = await history(log, session.id)
  expect(events).toContainEqual(expect.objectContaining({ type: "approval.requested", connection: destination }))
  expect(events).toContainEqual(expect.objectContaining({ type: "tool.ended", output: "no person can be asked" }))
})

it("is refused when the time to answer is over", async () => {
  const { session, log } = await world(connect, { approvalWaitMs: 20 })
  await turn(session, "work")
  expect(await history(log, session.id)).toContainEqual(
    expect.objectContaining({ type: "tool.ended", output: "the request was not answered in time" }),
  )
})

it("is withdrawn when the connection is closed", async () => {
  const closing = new AbortController()
  const { session } = await world((context) => connect(context, destination, closing.signal))
  const asked = next(session, "approval.requested")
  const decided = next(session, "approval.decided")
  const ended = next(session, "tool.ended")
  await prompt(session, "work")
  await asked
  closing.abort()
  expect(await decided).toMatchObject({ outcome: "void" })
  expect((await ended).output).toContain("closed before it was answered")
})

it("is withdrawn when its call ends, and cannot be asked after that", async () => {
  const contexts: ToolContext[] = []
  const { session } = await world(async (context) => {
    contexts.push(context)
    void connect(context)
    await next(session, "approval.requested")
    return "not interested"
  })
  const decided = next(session, "approval.decided")
  await turn(session, "work")
  expect(await decided).toMatchObject({ outcome: "void" })
  const [context] = contexts
  expect(context === undefined ? "" : await connect(context)).toBe("its call has ended")
})

it("is void for the next host", async () => {
  const first = await world(connect)
  const asked = next(first.session, "approval.requested")
  await prompt(first.session, "work")
  const { approvalId } = await asked
  await first.crash()
  const second = await testHost(scriptedSource(script), [], {}, first.log, 2)
  await reopen(second.host, first.session.id)
  expect(await history(first.log, first.session.id)).toContainEqual(
    expect.objectContaining({ type: "approval.decided", approvalId, outcome: "void" }),
  )
})

it.for([
  ["with changed arguments", { input: { host: "other.com", port: 443 } }, "answer.invalid"],
  ["with an answer to a question", { answer: "1" }, "answer.invalid"],
  ["for another connection", { digest: "another" }, "approval.changed"],
  ["by --yes", { policy: ["--yes" as const] }, "approval.person"],
])("cannot be approved %s", async ([, change, code]) => {
  const { session } = await world(connect)
  const asked = next(session, "approval.requested")
  await prompt(session, "work")
  const { approvalId } = await asked
  const approve = { type: "approve", approvalId, approved: true } as const
  const sent = await session.send({ ...approve, ...(typeof change === "object" ? change : {}) }, you)
  expect(sent).toMatchObject({ kind: "refused", refusal: { code } })
  const ended = next(session, "tool.ended")
  expect(await session.send({ ...approve, policy: ["--allow-tool"] }, you)).toMatchObject({ kind: "accepted" })
  expect(await ended).toMatchObject({ output: "allowed" })
})
