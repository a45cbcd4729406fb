import { describe, expect, it } from "vitest"
import type { HostedExtension } from "../../hooks/hosted-extension.ts"
import type { HookEvent } from "../../protocols/extension/frames.ts"
import { call, continues, extension, resultsIn, say, sourceOf, workOnce, world } from "../../testing/hook-world.ts"
import { history, newSession, next, reopen, testHost, testTool, turn, you } from "../../testing/test-host.ts"
import { scriptedSource } from "../../testing/index.ts"
import { modeGate, hookGate } from "../tools/gates.ts"

describe("an extension before a tool call", () => {
  it("that answers continue lets it run unchanged (case 1)", async () => {
    const seen: HookEvent[] = []
    const { host, ran } = await world({
      script: workOnce,
      extensions: [extension("a", { before_tool_call: continues }, seen)],
    })
    const session = await newSession(host)
    await turn(session, "work")
    expect(ran).toEqual([{ n: 1 }])
    expect(seen).toMatchObject([
      { tool_name: "work", tool_runtime_name: "work", tool_input: { n: 1 }, session_id: session.id },
    ])
  })

  it("blocks it with a reason for the model, and no hook is notified of a run (case 2)", async () => {
    const seen: HookEvent[] = []
    const block = { action: "block", reason: "not on a Sunday" }
    const { host, log, ran } = await world({
      script: [[call("work")], [{ expect: { toolResult: "not on a Sunday" } }, say("I see.")]],
      extensions: [extension("policy", { before_tool_call: block, after_tool_call: continues }, seen)],
    })
    const session = await newSession(host)
    expect(await turn(session, "work")).toMatchObject({ reason: "done" })
    expect(ran).toEqual([])
    expect(seen.map(({ kind }) => kind)).toEqual(["before_tool_call"])
    expect(await resultsIn(log, session.id)).toMatchObject([
      { type: "tool.refused", by: "policy", reason: "Tool call blocked by extension: not on a Sunday" },
    ])
  })

  it("requests a confirmation, and an approval runs it with its input (case 3)", async () => {
    const confirm = { action: "confirm", message: "really?" }
    const { host, ran } = await world({
      script: workOnce,
      extensions: [extension("a", { before_tool_call: confirm })],
    })
    const session = await newSession(host)
    const asked = next(session, "approval.requested")
    const ended = turn(session, "work")
    const { approvalId, reason } = await asked
    expect(reason).toBe("a: really?")
    await session.send({ type: "approve", approvalId, approved: true }, you)
    expect(await ended).toMatchObject({ reason: "done" })
    expect(ran).toEqual([{ n: 1 }])
  })

  it("requests a confirmation, and a denial refuses it (case 4)", async () => {
    const confirm = { action: "confirm", message: "really?" }
    const { host, log, ran } = await world({
      script: workOnce,
      extensions: [extension("a", { before_tool_call: confirm })],
    })
    const session = await newSession(host)
    const asked = next(session, "approval.requested")
    const ended = turn(session, "work")
    await session.send({ type: "approve", approvalId: (await asked).approvalId, approved: false }, you)
    await ended
    expect(ran).toEqual([])
    expect(await resultsIn(log, session.id)).toMatchObject([{ reason: expect.stringMatching(/Denied.*a: really\?/) }])
  })

  it("that requests a confirmation without an approver has the call refused (case 5)", async () => {
    const confirm = { action: "confirm", message: "really?" }
    const { host, log, ran } = await world({
      script: workOnce,
      extensions: [extension("a", { before_tool_call: confirm })],
      approvalWaitMs: 0,
    })
    const session = await newSession(host)
    await turn(session, "work")
    expect(ran).toEqual([])
    expect(await resultsIn(log, session.id)).toMatchObject([
      { reason: expect.stringMatching(/no approver is connected.*a: really\?/) },
    ])
  })

  it("and the policy make one request together, for the stricter audience", async () => {
    const confirm = { action: "confirm", message: "really?" }
    const { host, log } = await world({
      script: workOnce,
      extensions: [extension("a", { before_tool_call: confirm })],
      rules: { approve: ["work"] },
    })
    const session = await newSession(host)
    const asked = next(session, "approval.requested")
    const ended = turn(session, "work")
    const { approvalId, reason, audience } = await asked
    expect(audience).toBe("approver")
    expect(reason).toBe("a: really? The configuration wants an approval for work.")
    await session.send({ type: "approve", approvalId, approved: true }, you)
    await ended
    const questions = (await history(log, session.id)).filter(({ type }) => type === "approval.requested")
    expect(questions).toHaveLength(1)
  })

  it("changes its input, which the tool and the next hook get, and both inputs are stored (case 6)", async () => {
    const seen: HookEvent[] = []
    const modify = { action: "modify", input: { n: 2 } }
    const { host, log, ran } = await world({
      script: workOnce,
      extensions: [extension("a", { before_tool_call: modify, after_tool_call: continues }, seen)],
    })
    const session = await newSession(host)
    await turn(session, "work")
    expect(ran).toEqual([{ n: 2 }])
    expect(seen.map(({ kind, tool_input }) => [kind, tool_input])).toEqual([
      ["before_tool_call", { n: 1 }],
      ["after_tool_call", { n: 2 }],
    ])
    const events = await history(log, session.id)
    expect(events).toContainEqual(expect.objectContaining({ type: "tool.called", input: { n: 1 } }))
    expect(events).toContainEqual(expect.objectContaining({ type: "tool.modified", by: "a", input: { n: 2 } }))
  })

  it("changes its input to null, and the tool reports the problem (case 8)", async () => {
    const { host, log, ran } = await world({
      script: workOnce,
      extensions: [extension("a", { before_tool_call: { action: "modify", input: null } })],
    })
    const session = await newSession(host)
    await turn(session, "work")
    expect(ran).toEqual([])
    expect(await resultsIn(log, session.id)).toMatchObject([
      { type: "tool.modified" },
      { type: "tool.refused", by: "tools", reason: "The input must be an object." },
    ])
  })

  it("is not called for tools that the configuration denies, nor for invalid calls (case 61)", async () => {
    const seen: HookEvent[] = []
    const { host } = await world({
      script: [[call("work")], [call("nothing")], [{ call: { tool: "work", inputText: "{" } }], [say("Hm.")]],
      extensions: [extension("a", { before_tool_call: continues, after_tool_call: continues }, seen)],
      rules: { deny: ["work"] },
    })
    expect(await turn(await newSession(host), "work")).toMatchObject({ reason: "done" })
    expect(seen).toEqual([])
  })

  it("is not called again after a restart when it has changed the input, but guards are", async () => {
    const [seen, guarded]: [HookEvent[], HookEvent[]] = [[], []]
    const extensions = [
      extension("a", { before_tool_call: { action: "modify", input: { n: 2 } } }, seen),
      extension("guard", { before_tool_call: continues }, guarded, true),
    ]
    const script = workOnce
    const first = await world({ script, extensions, rules: { confirm: ["work"] } })
    const session = await newSession(first.host)
    const asked = next(session, "approval.requested")
    void turn(session, "work").catch(() => {})
    const { approvalId } = await asked
    await first.crash()
    const second = await world({ script, extensions, rules: { confirm: ["work"] } }, first.log, 2)
    const again = await reopen(second.host, session.id)
    const ended = next(again, "turn.ended")
    await again.send({ type: "approve", approvalId, approved: true }, you)
    await ended
    expect(second.ran).toEqual([{ n: 2 }])
    expect(seen).toHaveLength(1)
    expect(guarded.map(({ tool_input }) => tool_input)).toEqual([{ n: 1 }, { n: 2 }])
  })

  it("cannot get past a guard by changing the input", async () => {
    const noTwos = extension("guard", {}, [], true)
    const guard: HostedExtension = {
      ...noTwos,
      handlers: [
        {
          extension: "guard",
          kind: "before_tool_call",
          tool: undefined,
          match: { input_contains: '"n":2' },
          isGuard: true,
          mayReplace: false,
          handle: async () => ({ kind: "result", value: { action: "block", reason: "no twos" } }),
        },
      ],
    }
    const { host, log, ran } = await world({
      script: workOnce,
      extensions: [extension("a", { before_tool_call: { action: "modify", input: { n: 2 } } }), guard],
    })
    const session = await newSession(host)
    await turn(session, "work")
    expect(ran).toEqual([])
    expect(await resultsIn(log, session.id)).toMatchObject([
      { type: "tool.modified", by: "a" },
      { type: "tool.refused", by: "guard", reason: "Tool call blocked by extension: no twos" },
    ])
  })
})

describe("an extension after a tool call", () => {
  it("gets the result, also of a failure (case 60)", async () => {
    const seen: HookEvent[] = []
    const { host } = await world({
      script: [[call("break"), call("work")], [say("Hm.")]],
      extensions: [extension("a", { after_tool_call: continues }, seen)],
    })
    await turn(await newSession(host), "go")
    expect(new Set(seen.map(({ tool_output }) => tool_output))).toEqual(
      new Set(["Tool execution failed: no luck", "worked"]),
    )
  })

  it("may replace the output, and a failure stays a failure (case 67)", async () => {
    const replace = { action: "replace", output: "something else" }
    const { host, log } = await world({
      script: [[call("break")], [{ expect: { toolResult: "something else" } }, say("Hm.")]],
      extensions: [extension("a", { after_tool_call: replace })],
    })
    const session = await newSession(host)
    expect(await turn(session, "go")).toMatchObject({ reason: "done" })
    expect(await resultsIn(log, session.id)).toMatchObject([{ outcome: "failed", output: "something else" }])
  })

  it("is not notified of an interrupted call (case 61)", async () => {
    const seen: HookEvent[] = []
    const started = Promise.withResolvers<void>()
    const hang = testTool("hang", async (_input, { signal }) => {
      started.resolve()
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))
      return { outcome: "failed", output: "stopped" }
    })
    const hooks = sourceOf(extension("a", { before_tool_call: continues, after_tool_call: continues }, seen))
    const gates = [modeGate, hookGate]
    const { host } = await testHost(scriptedSource([[call("hang")]]), [hang], { hooks, gates })
    const session = await newSession(host)
    const ended = turn(session, "go")
    await started.promise
    await session.send({ type: "interrupt" }, you)
    expect(await ended).toMatchObject({ reason: "interrupted" })
    await host.close()
    expect(seen.map(({ kind }) => kind)).toEqual(["before_tool_call"])
  })
})
