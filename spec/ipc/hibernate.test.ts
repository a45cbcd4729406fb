// Conformance case 55: a tree of agents that hibernates and is resumed.
import { describe, expect, it } from "vitest"
import { eventually } from "../e2e/eventually.ts"
import { killHosts } from "../e2e/hosts.ts"
import { newPlace, type Place } from "../e2e/turnhouse.ts"
import { newSessionIn, turn, type Agent, type Test } from "./agents.ts"
import { of, reattach } from "./raw-viewer.ts"

interface HibernatedAgent {
  readonly agent: Agent
  readonly token: string
  readonly messages: unknown
}

describe.concurrent("55: hibernate with three generations", () => {
  it("by the command line and resumed after a kill: same tree, same histories, new tokens", async (test) => {
    const place = newPlace(test)
    const family = await threeGenerations(test, place)
    expect((await place.run("hibernate")).code).toBe(0)
    await untilExited(family)
    // as after a reboot: the host was killed
    killHosts(place.home)
    expect((await place.run("resume")).code).toBe(0)
    await expectBack(test, family)
  })

  it("by /hibernate where that is allowed, and /resume:agents of another session", async (test) => {
    const place = newPlace(test)
    place.config({ ipc: { blockedCommands: [] } })
    const family = await threeGenerations(test, place)
    const [root] = family
    const other = await newSessionIn(place, "--model", "offline/demo:0")
    const viewer = await root.agent.viewer(test)
    await viewer.send({ type: "slash_command", command: "hibernate", args: [] })
    expect((await viewer.untilClosed()).at(-1)).toMatchObject({ type: "exiting" })
    await untilExited(family)
    expect(other.exists).toBe(true)
    const resumed = await (await other.viewer(test)).slash("resume:agents")
    expect(resumed).toMatchObject({ success: true, output: root.agent.id })
    await expectBack(test, family)
  })
})

/** A root, its child and its grandchild, each with a turn. */
async function threeGenerations(
  test: Test,
  place: Place,
): Promise<readonly [HibernatedAgent, HibernatedAgent, HibernatedAgent]> {
  const root = await newSessionIn(place, "--model", "offline/demo:0")
  const child = await spawned(test, root)
  const grandchild = await spawned(test, child)
  return [await hibernate(test, root), await hibernate(test, child), await hibernate(test, grandchild)]
}

async function spawned(test: Test, parent: Agent): Promise<Agent> {
  const viewer = await parent.viewer(test)
  const { new_session_id: id } = await viewer.ask("agent_spawned", { type: "spawn_agent" })
  return parent.other(id)
}

async function hibernate(test: Test, agent: Agent): Promise<HibernatedAgent> {
  const viewer = await agent.viewer(test)
  await turn(viewer, "help")
  const { messages } = await viewer.sync()
  return { agent, token: agent.token, messages }
}

async function untilExited(family: readonly HibernatedAgent[]): Promise<void> {
  await eventually("their sockets are gone", () => family.every(({ agent }) => !agent.exists) || undefined)
}

async function expectBack(
  test: Test,
  family: readonly [HibernatedAgent, HibernatedAgent, HibernatedAgent],
): Promise<void> {
  for (const { agent, token, messages } of family) {
    await agent.restarted(token)
    const viewer = await agent.viewer(test, reattach(agent.token))
    expect(of(viewer.frames, "conversation_sync")[0]?.messages).toEqual(messages)
  }
  const [root, child, grandchild] = family.map(({ agent }) => agent.metadata)
  expect([root, child, grandchild].map((one) => one?.["parent_agent_id"])).toEqual([
    null,
    root?.["session_id"],
    child?.["session_id"],
  ])
}
