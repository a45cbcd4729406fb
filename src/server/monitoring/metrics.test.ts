import { describe, expect, it } from "vitest"
import { newSession, testHost, turn } from "../../testing/test-host.ts"
import { scriptedSource } from "../../testing/scripted-source.ts"
import { Meters } from "./meters.ts"
import { openMetrics } from "./metrics.ts"

describe("metrics", () => {
  it("count events of sessions, and do not change when they are read again", async () => {
    const usage = { input: 100, output: 10 }
    const source = scriptedSource([[{ text: "Hi." }, { usage }], [{ error: { message: "no", status: 400 } }]], {
      costUsd: () => 0.25,
    })
    const { host } = await testHost(source)
    const meters = new Meters(Date.now)
    meters.attend(host)
    const session = await newSession(host)
    await turn(session, "hello")
    await turn(session, "again")
    meters.connections = 3
    const sources = {
      meters,
      connections: () => 2,
      watched: () => 1,
      sessions: () => host.size,
      approvals: async () => 0,
      framesOut: () => 7,
    }
    const metrics = openMetrics(sources)
    await metrics.text()
    const text = await metrics.text()
    for (const line of [
      "turnhouse_connections 2",
      "turnhouse_connections_total 3",
      "turnhouse_sessions_open 1",
      "turnhouse_frames_out_total 7",
      'turnhouse_turns_total{end="done"} 1',
      'turnhouse_turns_total{end="failed"} 1',
      'turnhouse_tokens_total{direction="input"} 100',
      "turnhouse_cost_usd_total 0.25",
      "turnhouse_first_token_seconds_count 1",
    ])
      expect(text.split("\n")).toContain(line)
    await host.close()
  })
})
