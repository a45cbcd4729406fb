// The tasks of bench/agent with their scripted model: the agent's prompts, tools and messages, end to end.
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startPlayer, type Player } from "../bench/agent/player.ts"
import { runTasks } from "../bench/agent/run-tasks.ts"
import { allTasks } from "../bench/agent/tasks/index.ts"
import { scriptedAgent, type Agent } from "../bench/agent/turnhouse.ts"

describe("the agent solves", () => {
  let player: Player
  let agent: Agent
  beforeAll(async () => {
    player = await startPlayer(allTasks)
    agent = scriptedAgent(player.server.url)
  })
  afterAll(async () => {
    agent.close()
    await player.server.close()
  })

  it.concurrent.for(allTasks)("$name: $measures", async (task) => {
    const [report] = await runTasks([task], agent)
    expect({ problem: report?.problem, errors: report?.errors }).toEqual({
      problem: undefined,
      errors: expect.anything(),
    })
  })
})
