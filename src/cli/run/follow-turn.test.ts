import { afterEach, beforeEach, expect, it, vi, type MockInstance } from "vitest"
import type { SessionHandle } from "../../contract/host-port.ts"
import type { SessionHost } from "../../host/session-host.ts"
import { newSession, next, prompt, testHost, testTool, you } from "../../testing/test-host.ts"
import { gate, scriptedSource, type Step } from "../../testing/index.ts"
import { portOf } from "../../testing/doors/served-host.ts"
import { followTurn, type FollowOptions } from "./follow-turn.ts"
import { SessionView } from "../../app/sessions/session-view.ts"

const usual: FollowOptions = {
  promptId: "prm_mine",
  json: false,
  ownsSession: true,
  flags: { yes: false, allowTools: [], allowUntrusted: false },
  canAsk: false,
  isUnattended: false,
}
const bash = testTool("bash", () => ({ outcome: "done", output: "made" }))
const callsBash: Step = [{ call: { tool: "bash", input: { command: "make" } } }]
let stdout: MockInstance<typeof process.stdout.write>
let stderr: MockInstance<typeof process.stderr.write>

beforeEach(() => {
  stdout = vi.spyOn(process.stdout, "write").mockReturnValue(true)
  stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true)
})
afterEach(() => vi.restoreAllMocks())

const printed = () => stdout.mock.calls.map(([text]) => String(text)).join("")
const printedText = () => stderr.mock.calls.map(([text]) => String(text)).join("")

async function handleOf(host: SessionHost, sessionId: string): Promise<SessionHandle> {
  const opened = await portOf(host).open(sessionId, you)
  if (opened.kind === "refused") throw new Error(opened.refusal.code)
  return opened.handle
}

function ask(handle: SessionHandle, text: string) {
  return handle.send({ type: "prompt", promptId: "prm_mine", text, ifBusy: "wait" })
}

it("prints the answer on stdout and a summary on stderr", async () => {
  const { host } = await testHost(scriptedSource([[{ text: "Hello." }]]))
  const session = await newSession(host)
  const handle = await handleOf(host, session.id)
  const following = await followTurn(handle, SessionView.empty(session.id), usual)
  await ask(handle, "hi")
  expect(await following.ended).toEqual({ reason: "done", refusedCalls: 0, signal: 0 })
  await expect.poll(printedText).toMatch(/done in [\d.]+ s/)
  expect(printed()).toBe("Hello.\n")
})

it("prints each word once for a client that joins in the middle of a text", async () => {
  const passage = gate()
  const { host, log } = await testHost(scriptedSource([[{ text: "One two" }, { gate: passage }, { text: " three." }]]))
  const session = await newSession(host)
  await prompt(session, "go")
  await passage.arrived
  const handle = await handleOf(host, session.id)
  const view = await SessionView.read(log, session.id)
  const following = await followTurn(handle, view, { ...usual, promptId: undefined })
  expect(printed()).toBe("One two")
  passage.open()
  await following.ended
  expect(printed()).toContain("One two three.")
})

it("answers a request that was pending before with its digest", async () => {
  const { host, log } = await testHost(scriptedSource([callsBash, [{ text: "Made." }]]), [bash])
  const session = await newSession(host, { preset: "careful" })
  const request = next(session, "approval.requested")
  await prompt(session, "make it")
  const { approvalId, digest } = await request
  const view = await SessionView.read(log, session.id)
  expect(view.requests).toMatchObject([{ approvalId, digest, tool: "bash", input: { command: "make" } }])
  const handle = await handleOf(host, session.id)
  const following = await followTurn(handle, view, {
    ...usual,
    promptId: undefined,
    flags: { ...usual.flags, yes: true },
  })
  expect((await following.ended).reason).toBe("done")
  expect(printedText()).toContain("→ bash make")
})

it("does not answer requests in the turn of another client", async () => {
  const { host, log } = await testHost(scriptedSource([callsBash, [{ text: "Theirs." }], [{ text: "Mine." }]]), [bash])
  const session = await newSession(host, { preset: "careful" })
  const request = next(session, "approval.requested")
  await prompt(session, "make it")
  const { approvalId } = await request
  const handle = await handleOf(host, session.id)
  const view = await SessionView.read(log, session.id)
  const following = await followTurn(handle, view, { ...usual, ownsSession: false, isUnattended: true })
  await ask(handle, "and mine")
  expect(printedText()).toContain(`waiting for approval: turnhouse approve ${approvalId}`)
  await session.send({ type: "approve", approvalId, approved: true }, you)
  expect(await following.ended).toMatchObject({ reason: "done", refusedCalls: 0 })
  expect(printed()).toContain("Mine.")
})

it("ends if the prompt is withdrawn", async () => {
  const { host, log } = await testHost(scriptedSource([[{ text: "I hold it" }, { hang: true }]]))
  const session = await newSession(host)
  await prompt(session, "go")
  const handle = await handleOf(host, session.id)
  const following = await followTurn(handle, await SessionView.read(log, session.id), { ...usual, ownsSession: false })
  await ask(handle, "and mine")
  await session.send({ type: "end", when: "now" }, you)
  expect((await following.ended).reason).toBe("interrupted")
  expect(printedText()).toContain("prompt withdrawn")
})

it("fails with a message if the session is lost", async () => {
  const { host } = await testHost(scriptedSource([[{ text: "I hold it" }, { hang: true }]]))
  const session = await newSession(host)
  const handle = await handleOf(host, session.id)
  const following = await followTurn(handle, SessionView.empty(session.id), usual)
  await ask(handle, "go")
  session.lose({ code: "log.fenced", sessionId: session.id })
  await expect(following.ended).rejects.toThrow("was taken over by another host")
})

it("Ctrl-C interrupts the open turn before ours and withdraws the prompt", async () => {
  const { host, log } = await testHost(scriptedSource([[{ text: "I hold it" }, { hang: true }]]))
  const session = await newSession(host)
  await prompt(session, "go")
  const handle = await handleOf(host, session.id)
  const following = await followTurn(handle, await SessionView.read(log, session.id), usual)
  await ask(handle, "and mine")
  process.emit("SIGINT")
  expect(await following.ended).toMatchObject({ reason: "interrupted", signal: 2 })
  expect(session.state).toMatchObject({ turn: undefined, waiting: [] })
})

it("Ctrl-C only withdraws the prompt while the turn of another client runs", async () => {
  const { host, log } = await testHost(scriptedSource([[{ text: "I hold it" }, { hang: true }]]))
  const session = await newSession(host)
  await prompt(session, "go")
  const handle = await handleOf(host, session.id)
  const view = await SessionView.read(log, session.id)
  const following = await followTurn(handle, view, { ...usual, ownsSession: false })
  await ask(handle, "and mine")
  process.emit("SIGINT")
  expect(await following.ended).toMatchObject({ reason: "interrupted", signal: 2 })
  expect(session.state.turn).toBeDefined()
  expect(session.state.waiting).toEqual([])
})
