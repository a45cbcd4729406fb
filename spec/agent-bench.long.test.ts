// A task that passes although its script gets no tool results measures nothing.
import { expect, it } from "vitest"
import { startPlayer } from "../bench/agent/player.ts"
import { runTasks } from "../bench/agent/run-tasks.ts"
import { allTasks } from "../bench/agent/tasks/index.ts"
import { scriptedAgent } from "../bench/agent/turnhouse.ts"

it("no task of the agent benchmark passes when tool results are ignored", async () => {
  const player = await startPlayer(allTasks, true)
  const agent = scriptedAgent(player.server.url)
  try {
    const reports = await runTasks(allTasks, agent)
    expect(reports.filter(({ problem }) => problem === undefined).map(({ task }) => task)).toEqual([])
  } finally {
    agent.close()
    await player.server.close()
  }
})
