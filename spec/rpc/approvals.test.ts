// Approvals on this wire: announced in frames of version 1 and answered by another process; for a parent with the
// extended protocol, in frames of their own that it can answer itself.
import { describe, expect, it, type TestContext } from "vitest"
import { startRpc, type RpcParent, type TurnEvent } from "../../src/clients/rpc/index.ts"
import { misbehavingProgram } from "../../src/mcp/fixtures/servers.ts"
import { idOf, newPlace, type Place } from "../e2e/turnhouse.ts"
import { of, readyChild, textOf } from "./children.ts"

const call = { call: { tool: "bash", input: { command: "touch made" } } }

function carefulPlace(test: Pick<TestContext, "onTestFinished">): Place {
  const place = newPlace(test)
  place.config({ tools: { confirm: ["bash"] } })
  return place
}

describe.concurrent("an approval", () => {
  it.for([
    ["approved", [], /^approved by /, true],
    ["denied", ["--deny"], /^ERROR: denied by /, false],
  ] as const)("that is %s by another process is shown as a sub-agent", async ([, flags, preview, isMade], test) => {
    const place = carefulPlace(test)
    const child = await readyChild(test, ["--model", place.script([[call], [{ text: "So be it." }]])], place)
    const turn = await child.prompt("make it")
    const update = await turn.until("the question", (frame) => frame.type === "subagent_update")
    expect(update).toMatchObject({ agent_name: "approval", status: expect.stringMatching(/^awaiting_approval apr_/) })
    const approvalId = update.type === "subagent_update" ? (update.status.split(" ")[1] ?? "") : ""
    const { code, stderr } = await place.run("approve", approvalId, ...flags)
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const frames = await turn.closed()
    expect(of(frames, "subagent_start")).toMatchObject([
      { agent_name: "approval", task_preview: expect.stringContaining("bash") },
    ])
    expect(of(frames, "subagent_done")).toMatchObject([{ result_preview: expect.stringMatching(preview) }])
    expect(textOf(frames)).toBe("So be it.")
    expect(place.has("made")).toBe(isMade)
    expect((await place.sessions()).map(idOf)).toEqual([(await child.wire.ready()).session_id])
  })

  it("that expires is refused with the reason", async (test) => {
    const place = newPlace(test)
    place.config({ tools: { confirm: ["bash"] }, approvals: { wait: 1 } })
    const child = await readyChild(test, ["--model", place.script([[call], [{ text: "So be it." }]])], place)
    const frames = await child.turn("make it")
    expect(of(frames, "subagent_done")).toMatchObject([{ result_preview: "ERROR: no answer in 1 s" }])
    expect(textOf(frames)).toBe("So be it.")
    expect(place.has("made")).toBe(false)
  })
})

describe.concurrent("a parent with the extended protocol", () => {
  async function start(test: Pick<TestContext, "onTestFinished">, place: Place): Promise<RpcParent> {
    const wait = "while [ ! -e go ]; do sleep 0.02; done"
    const model = place.script([
      [call],
      [{ call: { tool: "ls", input: {} } }, { call: { tool: "bash", input: { command: wait } } }],
      [{ expect: { lastUserText: "and hurry" } }, { text: "Done." }],
    ])
    const parent = await startRpc({ cwd: place.folder, env: place.env, model, extended: true })
    test.onTestFinished(async () => void (await parent.close()))
    return parent
  }

  it("answers approvals itself, and queues a prompt during the turn", async (test) => {
    const place = carefulPlace(test)
    const parent = await start(test, place)
    const asked: TurnEvent[] = []
    let text = ""
    for await (const event of parent.prompt("make it")) {
      if (event.type === "text_delta") text += event.delta
      if (event.type !== "approval") continue
      asked.push(event)
      if (asked.length === 2) await parent.queue("and hurry")
      await parent.approve(event.approval_id, true)
      if (asked.length === 2) place.write("go", "")
    }
    expect(asked).toMatchObject([
      { tool_name: "bash", input: { command: "touch made" } },
      { tool_name: "bash", expires_at: expect.any(Number) },
    ])
    expect(text).toBe("Done.")
    expect(place.has("made")).toBe(true)
  })

  it("gets the questions of an MCP server, and answers them", async (test) => {
    const place = newPlace(test)
    const shop = { command: process.execPath, args: [misbehavingProgram, "elicit"] }
    place.config({ mcpServers: { shop } })
    const model = place.script([[{ call: { tool: "mcp__shop__work", input: {} } }], [{ text: "Done." }]])
    const parent = await startRpc({ cwd: place.folder, env: place.env, model, extended: true })
    test.onTestFinished(async () => void (await parent.close()))
    const asked: TurnEvent[] = []
    const results: string[] = []
    for await (const event of parent.prompt("order")) {
      if (event.type === "toolcall_result") results.push(event.result)
      if (event.type !== "approval") continue
      asked.push(event)
      await parent.approve(event.approval_id, true, { answer: "2" })
    }
    expect(asked).toMatchObject([
      {
        tool_name: "elicitation",
        input: { server: "shop" },
        reason: expect.stringContaining("MCP server 'shop' asks: Which size?"),
        questions: [{ question: "size", options: [{ label: "S" }, { label: "M" }] }],
      },
    ])
    expect(results).toEqual(['got {"action":"accept","content":{"size":"M"}}'])
  })

  it("is refused when it answers an unknown approval", async (test) => {
    const parent = await start(test, carefulPlace(test))
    await expect(parent.approve("apr_none", true)).rejects.toThrow("the child refused 'approve'")
  })
})
