// Trees of sessions under random commands, with random pauses in between: whatever happened before, a root that is
// stopped leaves nothing of its tree at work, and every child has exactly one fate in its parent's log.
import fc from "fast-check"
import { expect, it } from "vitest"
import type { SessionCommand } from "../../contract/commands.ts"
import type { SessionEvent } from "../../contract/events.ts"
import type { EventLog } from "../../log/event-log.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import { history, newSession, reopen, testHost, you } from "../../testing/test-host.ts"
import { scriptedSource, testIds } from "../../testing/index.ts"
import type { SessionHost } from "../session-host.ts"

const ids = testIds()
let prompts = 0

const commands = {
  spawn: () => ({ type: "spawn", childId: ids.session() }),
  order: () => ({ type: "spawn", childId: ids.session(), task: "work" }),
  prompt: () => ({ type: "prompt", promptId: `prm_${(prompts += 1)}`, text: "go on", ifBusy: "wait" }),
  interrupt: () => ({ type: "interrupt" }),
  end: () => ({ type: "end", when: "now" }),
  soon: () => ({ type: "end", when: "idle" }),
  detach: () => ({ type: "signal-children", action: "detach" }),
  leave: () => ({ type: "orphan" }),
  rest: () => ({ type: "hibernate" }),
  wake: () => ({ type: "wake" }),
} satisfies Record<string, () => SessionCommand>

const action = fc.record({
  name: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom("spawn", "order", "prompt") },
    { weight: 1, arbitrary: fc.constantFrom(...keysOf(commands)) },
  ),
  whom: fc.nat(100),
  pauses: fc.nat(3),
})

it("stops a tree reliably after random commands", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (script) => {
      const models = scriptedSource([[{ text: "one" }], [{ hang: true }], [{ text: "three" }], [{ hang: true }]])
      const { host, log } = await testHost(models)
      const { id: rootId } = await newSession(host, { limits: { stepsPerTurn: 20, depth: 3, children: 3 } })
      for (const { name, whom: target, pauses } of script) {
        const session = await oneOf(host, target)
        await session?.send(commands[name](), you)
        for (let n = 0; n < pauses; n++) await new Promise((resolve) => setImmediate(resolve))
      }
      const root = await reopen(host, rootId)
      await root.send({ type: "wake" }, you)
      await root.send({ type: "end", when: "now" }, you)
      await childless(root)
      await checkTree(log, rootId)
      await host.close()
    }),
    { numRuns: 60, timeout: 20_000 },
  )
})

async function oneOf(host: SessionHost, target: number): Promise<SessionActor | undefined> {
  const sessions = await host.sessions()
  return sessions[target % Math.max(sessions.length, 1)]
}

function childless(session: SessionActor): Promise<void> {
  return new Promise((resolve) => {
    const look = () => session.state.children.length === 0 && resolve()
    session.watch(look)
    look()
  })
}

async function checkTree(log: EventLog, sessionId: string): Promise<void> {
  const events = await history(log, sessionId)
  for (const event of events) {
    if (event.type !== "child.spawned") continue
    const outcomes = events.filter((other) => isOutcomeOf(other, event.childId))
    expect(outcomes).toHaveLength(1)
    if (outcomes[0]?.type === "child.ended") await checkEnded(log, event.childId)
  }
}

/** A child that gets a prompt after its end is not checked. */
async function checkEnded(log: EventLog, childId: string): Promise<void> {
  const events = await history(log, childId)
  if (events.some(({ type }) => type === "session.reopened")) return
  const count = (type: SessionEvent["type"]) => events.filter((event) => event.type === type).length
  expect(count("turn.ended")).toBe(count("turn.started"))
  await checkTree(log, childId)
}

function isOutcomeOf(event: SessionEvent, childId: string): boolean {
  return (event.type === "child.ended" || event.type === "child.detached") && event.childId === childId
}

function keysOf<Key extends string>(table: Record<Key, unknown>): Key[] {
  const isKey = (key: string): key is Key => Object.hasOwn(table, key)
  return Object.keys(table).filter(isKey)
}
