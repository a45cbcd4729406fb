// The budget of a tree whose node is killed: another node, with a log of its own in the same PostgreSQL database, continues.
import { afterAll, beforeAll, expect, it } from "vitest"
import { PostgresLog } from "../../log/postgres/postgres-log.ts"
import type { ModelSource } from "../../models/model-source.ts"
import { gate, scriptedSource, type Step } from "../../testing/index.ts"
import { startPostgres, type PostgresServer } from "../../testing/servers/postgres-server.ts"
import { newSession, next, prompt, reopen, testHost, turn, you } from "../../testing/test-host.ts"
import { childId, opening } from "./fixtures/tree-sessions.ts"

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

/** Every model call costs 4. */
function models(scripts: Record<string, readonly Step[]>): ModelSource {
  const named = new Map(
    Object.entries(scripts).map(([name, script]) => [name, scriptedSource(script, { costUsd: () => 4 })]),
  )
  return { resolve: async (name) => (named.get(name) ?? scriptedSource([])).resolve(name) }
}

it("counts what the parent spent when a client opens the child first at the other node", async () => {
  const url = server.createDatabase()
  const scripts = { m: [[{ text: "one" }], [{ text: "two" }]], worker: [[{ text: "three" }]] } as const
  const killed = await testHost(models(scripts), [], {}, new PostgresLog({ url }))
  const root = await newSession(killed.host, { budget: { usd: 10 } })
  await turn(root, "spend 4")
  await turn(root, "spend 8")
  await root.send({ type: "spawn", childId, model: "worker" }, you)
  await opening(killed.host, childId)
  await killed.crash()
  const other = await testHost(models(scripts), [], {}, new PostgresLog({ url }))
  const child = await reopen(other.host, childId)
  const stop = Promise.race([next(child, "turn.parked"), next(child, "turn.ended")])
  await prompt(child, "spend 12")
  expect(await stop).toMatchObject({ type: "turn.parked", why: "budget" })
  await Promise.all([killed.host.close(), other.host.close()])
})

it("counts what parent and child spent at the node that was killed, and not the call that ran there", async () => {
  const working = gate()
  const url = server.createDatabase()
  const killed = await testHost(
    models({ m: [[{ text: "root" }]], worker: [[{ text: "one" }], [{ gate: working }, { text: "two" }]] }),
    [],
    {},
    new PostgresLog({ url }),
  )
  const first = await newSession(killed.host, { budget: { usd: 13 } })
  await turn(first, "spend 4")
  await first.send({ type: "spawn", childId, model: "worker" }, you)
  const firstChild = await opening(killed.host, childId)
  await turn(firstChild, "spend 8")
  await prompt(firstChild, "spend 12")
  await working.arrived
  await killed.crash()

  const scripts = { worker: [[{ text: "one" }], [{ text: "two" }], [{ text: "three" }]] } as const
  const other = await testHost(models(scripts), [], {}, new PostgresLog({ url }))
  const root = await reopen(other.host, first.id)
  const child = await opening(other.host, childId)
  await expect.poll(() => child.state.turn).toBeUndefined() // the turn has been continued
  expect([root.state.spent.usd, child.state.spent.usd]).toEqual([4, 8])
  const parked = next(child, "turn.parked")
  await prompt(child, "spend 16")
  expect(await parked).toMatchObject({
    why: "budget",
    message: expect.stringMatching(/12\.0000 spent, 0\.0000 reserved by other model calls, up to 4\.0000 needed/),
  })
  working.open()
  await Promise.all([killed.host.close(), other.host.close()])
})
