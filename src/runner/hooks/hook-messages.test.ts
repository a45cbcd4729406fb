import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../contract/values.ts"
import type { HostedExtension } from "../../hooks/hosted-extension.ts"
import type { HookEvent } from "../../protocols/extension/frames.ts"
import { call, continues, extension, resultsIn, say, watchingAll, workOnce, world } from "../../testing/hook-world.ts"
import { history, newSession, next, turn, you } from "../../testing/test-host.ts"

describe("an extension around messages", () => {
  it("is called once per prompt and notified of each answer before its tools run (case 62)", async () => {
    const seen: HookEvent[] = []
    const { host } = await world({
      script: [[say("One"), call("work")], [call("work")], [say("Three.")]],
      extensions: [watchingAll(seen)],
    })
    const session = await newSession(host)
    await turn(session, "hello")
    await host.close()
    expect(seen.map(({ kind, message, data }) => [kind, message, data])).toEqual([
      ["on_session_start", null, null],
      ["before_message", "hello", null],
      ["on_message_complete", "One", { content_block_count: 2, has_tool_use: true }],
      ["before_tool_call", null, null],
      ["after_tool_call", null, null],
      ["on_message_complete", "", { content_block_count: 1, has_tool_use: true }],
      ["before_tool_call", null, null],
      ["after_tool_call", null, null],
      ["on_message_complete", "Three.", { content_block_count: 1, has_tool_use: false }],
      ["on_session_end", null, null],
    ])
    expect(seen.every(({ session_id }) => session_id === session.id)).toBe(true)
    expect(seen.at(-1)?.transcript).toMatchObject([
      { role: "user", content: "hello" },
      { role: "assistant" },
      { role: "user" },
      { role: "assistant" },
      { role: "user" },
      { role: "assistant", content: [{ type: "text", text: "Three." }] },
    ])
  })

  it("adds text to the end of the newest prompt of a request, which is not stored (cases 14 and 15)", async () => {
    const { host, log, models } = await world({
      script: [[say("Yes.")], [say("Again.")]],
      extensions: [
        extension("a", { before_message: { action: "inject", content: "A" } }),
        extension("b", { before_message: { action: "inject", content: "B" } }),
        extension("c", { before_message: { action: "block", reason: "no" } }),
      ],
    })
    const session = await newSession(host)
    await turn(session, "hello")
    const [request] = models.model.calls
    expect(request?.prompt.at(-1)).toMatchObject({
      role: "user",
      content: [
        { type: "text", text: "hello" },
        { type: "text", text: expect.stringContaining("\nA\n\nB\n") },
      ],
    })
    expect(JSON.stringify(await history(log, session.id))).not.toContain("A\\n\\nB")
  })

  it("a refused prompt ends the turn with the reason, and the model never gets it", async () => {
    const refuses: HostedExtension = {
      ...extension("hooks.UserPromptSubmit", {}),
      handlers: extension("hooks.UserPromptSubmit", { before_message: continues }).handlers.map((handler) => ({
        ...handler,
        handle: async ({ message }) =>
          message?.includes("secret") === true
            ? { kind: "refused", reason: "no secrets" }
            : { kind: "result", value: continues },
      })),
    }
    const { host, models } = await world({ script: [[say("Fine.")]], extensions: [refuses] })
    const session = await newSession(host)
    expect(await turn(session, "the secret is 1234")).toMatchObject({
      reason: "failed",
      code: "prompt.refused",
      error: "A hook refused the prompt: no secrets",
    })
    expect(models.model.calls).toHaveLength(0)
    expect(await turn(session, "hello")).toMatchObject({ reason: "done" })
    expect(JSON.stringify(models.model.calls[0]?.prompt)).not.toContain("1234")
  })

  it("adds to the system prompt of every request when the session starts (case 68)", async () => {
    const { host, models } = await world({
      script: [[call("work")], [say("Yes.")]],
      extensions: [extension("a", { on_session_start: { action: "inject", content: "Remember the milk." } })],
    })
    await turn(await newSession(host), "hello")
    const systems = models.model.calls.map(({ prompt }) => prompt[0]?.content)
    expect(systems).toHaveLength(2)
    expect(systems[0]).toEqual(expect.stringMatching(/Remember the milk\.$/))
    expect(systems[1]).toEqual(systems[0])
  })

  it("is notified of a compaction, with the number of messages before it", async () => {
    const seen: HookEvent[] = []
    const { host } = await world({
      script: [[say("Yes.")]],
      extensions: [extension("a", { on_compaction: continues }, seen)],
    })
    const session = await newSession(host)
    await turn(session, "hello")
    const compacted = next(session, "context.compacted")
    await session.send({ type: "compact" }, you)
    await compacted
    await host.close()
    expect(seen).toMatchObject([
      {
        session_id: session.id,
        message: expect.stringContaining("hello"),
        data: { message_count: 2, old_session_id: session.id, new_session_id: session.id, source: "manual" },
      },
    ])
  })
})

describe("the tools of extensions", () => {
  it("are offered and run like other tools, and hooks know them by both names (case 19)", async () => {
    const seen: HookEvent[] = []
    const called: JsonValue[] = []
    const input_schema = { properties: { text: { type: "string" } }, required: ["text"] }
    const bringing: HostedExtension = {
      ...extension("my-ext", { before_tool_call: continues }, seen),
      tools: [{ name: "echo", description: "says it again", input_schema }],
      callTool: async (name, input) => {
        called.push([name, input])
        return { kind: "done", output: "hi again" }
      },
    }
    const { host, log, models } = await world({
      script: [
        [call("my-ext_echo", { text: 7 })],
        [{ expect: { toolResult: "'text' must be a string" } }, call("my-ext_echo", { text: "hi" })],
        [{ expect: { toolResult: "hi again" } }, say("Well.")],
      ],
      extensions: [bringing],
    })
    const session = await newSession(host)
    expect(await turn(session, "say hi")).toMatchObject({ reason: "done" })
    expect(models.model.calls[0]?.tools).toContainEqual(expect.objectContaining({ name: "my-ext_echo" }))
    expect(called).toEqual([["echo", { text: "hi" }]])
    expect(seen).toMatchObject([{ tool_name: "my-ext_echo", tool_runtime_name: "my-ext:echo" }])
    expect(await history(log, session.id)).toContainEqual(
      expect.objectContaining({ type: "tool.started", class: "unsafe" }),
    )
  })

  it("that fail return their own error text to the model (case 46)", async () => {
    const bringing: HostedExtension = {
      ...extension("ext", {}),
      tools: [{ name: "echo", description: "says it again", input_schema: {} }],
      callTool: async () => ({ kind: "failed", reason: "cannot speak" }),
    }
    const { host, log } = await world({
      script: [[call("ext_echo")], [{ expect: { toolResult: "cannot speak" } }, say("Hm.")]],
      extensions: [bringing],
    })
    const session = await newSession(host)
    expect(await turn(session, "say hi")).toMatchObject({ reason: "done" })
    expect(await resultsIn(log, session.id)).toMatchObject([{ outcome: "failed", output: "cannot speak" }])
  })
})

describe("the extensions of a child session", () => {
  it("are those of its root, see its calls without a session id, and nothing of its start and end", async () => {
    const seen: HookEvent[] = []
    const childId = "01890000-0000-7000-8000-000000000009"
    const { host } = await world({ script: workOnce, extensions: [watchingAll(seen)] })
    const root = await newSession(host)
    const ended = next(root, "child.ended")
    await root.send({ type: "spawn", childId, task: "work" }, you)
    expect(await ended).toMatchObject({ outcome: "done" })
    await host.close()
    expect(seen.map(({ kind, session_id }) => [kind, session_id])).toEqual([
      ["on_session_start", root.id],
      ["before_message", null],
      ["on_message_complete", null],
      ["before_tool_call", null],
      ["after_tool_call", null],
      ["on_message_complete", null],
      ["on_session_end", root.id],
    ])
  })
})
