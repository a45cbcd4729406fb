import { expect, it } from "vitest"
import type { HostedExtension } from "../../../hooks/hosted-extension.ts"
import { extension, say, world } from "../../../testing/hook-world.ts"
import { history, newSession, next, prompt, reopen, turn, you } from "../../../testing/test-host.ts"

const script = [[{ call: { tool: "work", input: { n: 1 } } }], [say("Done.")]]
const rules = { confirm: ["work"] }

it("runs with the changed arguments, and the model learns which", async () => {
  const { host, log, ran } = await world({ script, extensions: [], rules })
  const session = await newSession(host)
  const asked = next(session, "approval.requested")
  const ended = next(session, "turn.ended")
  await prompt(session, "work")
  const { approvalId, digest } = await asked
  await session.send({ type: "approve", approvalId, approved: true, digest, input: { n: 2 } }, you)
  await ended
  expect(ran).toEqual([{ n: 2 }])
  const events = await history(log, session.id)
  expect(events.filter(({ type }) => type === "approval.requested")).toHaveLength(1)
  expect(events).toContainEqual(expect.objectContaining({ type: "tool.modified", by: "you", input: { n: 2 } }))
  expect(events).toContainEqual(
    expect.objectContaining({
      type: "tool.ended",
      outcome: "done",
      output: '[you changed the arguments before approving the call: {"n":2}]\nworked',
    }),
  )
})

it("passes deny rules and guards again", async () => {
  const guard = guardOf('"n":2', async () => ({ kind: "result", value: { action: "block", reason: "no twos" } }))
  const { host, log, ran } = await world({ script, extensions: [guard], rules })
  const session = await newSession(host)
  const asked = next(session, "approval.requested")
  const ended = next(session, "turn.ended")
  await prompt(session, "work")
  const { approvalId } = await asked
  await session.send({ type: "approve", approvalId, approved: true, input: { n: 2 } }, you)
  await ended
  expect(ran).toEqual([])
  const refused = (await history(log, session.id)).find(({ type }) => type === "tool.refused")
  expect(refused).toMatchObject({ by: "guard", reason: expect.stringContaining("blocked by extension: no twos") })
  expect(refused).toMatchObject({ reason: expect.stringContaining("[you changed the arguments") })
})

it("is run by the next host if the host ends after the answer", async () => {
  const first = await world({ script, extensions: [guardOf('"n":2', () => new Promise(() => {}))], rules })
  const session = await newSession(first.host)
  const asked = next(session, "approval.requested")
  void turn(session, "work").catch(() => {})
  const { approvalId } = await asked
  const changed = next(session, "tool.modified")
  void session.send({ type: "approve", approvalId, approved: true, input: { n: 2 } }, you)
  await changed
  await first.crash()
  const second = await world({ script, extensions: [], rules }, first.log, 2)
  const again = await reopen(second.host, session.id)
  if (again.state.turn !== undefined) await next(again, "turn.ended")
  const events = await history(first.log, session.id)
  expect(events.filter(({ type }) => type === "approval.requested")).toHaveLength(1)
  expect(second.ran).toEqual([{ n: 2 }])
})

type Handle = HostedExtension["handlers"][number]["handle"]

function guardOf(text: string, handle: Handle): HostedExtension {
  const handler = { extension: "guard", kind: "before_tool_call", tool: undefined, isGuard: true } as const
  return {
    ...extension("guard", {}, [], true),
    handlers: [{ ...handler, match: { input_contains: text }, mayReplace: false, handle }],
  }
}
