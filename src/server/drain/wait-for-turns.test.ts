import { describe, expect, it } from "vitest"
import { modeGate } from "../../runner/tools/gates.ts"
import { noRules, noPaths, policyGate } from "../../features/approvals/effects/policy.ts"
import { gate } from "../../testing/gate.ts"
import { newSession, next, prompt, testHost, testTool } from "../../testing/test-host.ts"
import { scriptedSource } from "../../testing/scripted-source.ts"
import { waitForTurns } from "./wait-for-turns.ts"

const longTime = 1_000_000

describe("waitForTurns", () => {
  it("resolves at once when no turn runs", async () => {
    const { host } = await testHost(scriptedSource([]))
    await newSession(host)
    await expect(waitForTurns(host, longTime)).resolves.toBeUndefined()
    await host.close()
  })

  it("waits for a running turn", async () => {
    const door = gate()
    const { host } = await testHost(scriptedSource([[{ gate: door }, { text: "done" }]]))
    const session = await newSession(host)
    await prompt(session, "hi")
    await door.arrived
    const seen: string[] = []
    const waiting = waitForTurns(host, longTime).then(() => seen.push("quiet"))
    const ended = next(session, "turn.ended").then(() => seen.push("ended"))
    door.open()
    await Promise.all([waiting, ended])
    expect(seen).toEqual(["ended", "quiet"])
    await host.close()
  })

  it("does not wait for a turn that waits for a person", async () => {
    const pay = testTool("pay", () => ({ outcome: "done", output: "" }))
    const gates = [modeGate, policyGate({ ...noRules, confirm: ["pay"] }, noPaths)]
    const { host } = await testHost(scriptedSource([[{ call: { tool: "pay", input: {} } }]]), [pay], { gates })
    const session = await newSession(host)
    const request = next(session, "approval.requested")
    await prompt(session, "hi")
    await request
    await expect(waitForTurns(host, longTime)).resolves.toBeUndefined()
    await host.close()
  })

  it("gives up after the grace period", async () => {
    const { host } = await testHost(scriptedSource([[{ text: "one" }, { hang: true }]]))
    const session = await newSession(host)
    await prompt(session, "hi")
    await waitForTurns(host, 1)
    expect(session.state.turn).toBeDefined()
    await host.close()
  })
})
