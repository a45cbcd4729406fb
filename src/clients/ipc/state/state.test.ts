import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { AgentMessage, DisplayMessage } from "../../../protocols/ipc/frames.ts"
import { attach, startAgent, until } from "../fixtures/agents.ts"
import { emptyState, foldState, type ViewerState } from "./state.ts"

function fold(messages: readonly AgentMessage[], from: ViewerState = emptyState): ViewerState {
  return messages.reduce(foldState, from)
}

function sync(messages: readonly DisplayMessage[], isBusy: boolean): AgentMessage {
  return {
    type: "conversation_sync",
    session_id: "s1",
    model: "m1",
    messages: [...messages],
    status: isBusy ? "busy" : "ready",
    is_busy: isBusy,
    tool_mode: "Core",
    mcp_servers: [],
  }
}

const tasks: AgentMessage = { type: "task_update", task_tree: "○ a\n", task_count: 1, completed_count: 0 }
const seal: AgentMessage = { type: "seal_status", enabled: false, entity_count: 0, quality_score: 1 }
const said = (role: string, content: string): DisplayMessage => ({ role, content, created_at: 1_700_000_000_000 })
const added = (role: string, content: string): AgentMessage => ({ type: "message_added", message: said(role, content) })
const chunk = (text: string): AgentMessage => ({ type: "stream_chunk", text })
const status = (text: string): AgentMessage => ({ type: "status_update", status: text })

/** The part of the state that a late viewer gets too. */
function lasting({ messages, partial, status: line, isBusy, hasEnded, tasks: list, model }: ViewerState) {
  return { messages, partial, line, isBusy, hasEnded, list, model }
}

interface Moment {
  readonly messages: readonly AgentMessage[]
  /** What a viewer that attaches now gets first. */
  readonly greeting: readonly AgentMessage[]
}

/** Turns with tools, cancelled and failed ones, steering messages; with the greeting after each message. */
function momentsOf(turns: readonly string[]): readonly Moment[] {
  const moments: Moment[] = []
  const conversation: DisplayMessage[] = []
  let [partial, isBusy] = ["", false]
  const tell = (...messages: readonly AgentMessage[]) => {
    for (const message of messages) if (message.type === "message_added") conversation.push(message.message)
    const catchUp = partial === "" ? [] : [chunk(partial)]
    moments.push({ messages, greeting: [sync(conversation, isBusy), tasks, seal, ...catchUp] })
  }
  tell(sync([], false), tasks, seal)
  for (const [index, reason] of turns.entries()) {
    isBusy = true
    tell(added("user", `q${index}`), status("busy"))
    for (const piece of ["a", "b", "c"]) {
      partial += piece
      tell(chunk(piece))
      tell({ type: "tool_call_start", id: `c${index}`, name: "read", input: {} })
      if (piece === "b") tell(added("user", "besides"))
      tell({ type: "tool_result", id: `c${index}`, name: "read", output: "x" })
    }
    isBusy = false
    const text = partial
    partial = ""
    tell({ type: "stream_end", finish_reason: reason }, added("assistant", text), status("ready"))
  }
  return moments
}

describe("foldState", () => {
  it("is the same for a viewer that joined at any time", () => {
    const reasons = fc.array(fc.constantFrom("stop", "cancelled", "error"), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(reasons, fc.nat(), (turns, moment) => {
        const moments = momentsOf(turns)
        const at = moment % moments.length
        const after = moments.slice(at + 1).flatMap(({ messages }) => messages)
        const late = fold([...(moments[at]?.greeting ?? []), ...after])
        expect(lasting(late)).toEqual(lasting(fold(moments.flatMap(({ messages }) => messages))))
        const upTo = moments.slice(0, at + 1).flatMap(({ messages }) => messages)
        expect(lasting(fold(moments[at]?.greeting ?? []))).toEqual(lasting(fold(upTo)))
      }),
    )
  })

  it("is the same over a socket, mid-turn and afterwards", async () => {
    const agent = await startAgent()
    const early = await attach(agent)
    agent.begin("hello")
    agent.chunk("one ")
    await until(early, ({ partial }) => partial === "one ")
    const late = await attach(agent)
    agent.chunk("two")
    for (const viewer of [early, late]) await until(viewer, ({ partial }) => partial === "one two")
    expect(lasting(late.state)).toEqual(lasting(early.state))
    agent.end()
    for (const viewer of [early, late]) await until(viewer, ({ status: line }) => line.startsWith("Ready"))
    expect(lasting(late.state)).toEqual(lasting(early.state))
    expect(late.state.messages.at(-1)?.content).toBe("one two")
  })

  it("keeps the partial text through a sync, and resets it after a whole greeting", () => {
    const running = fold([sync([], false), added("user", "q"), chunk("one ")])
    expect(fold([sync([said("user", "q")], true), tasks, chunk("two")], running).partial).toBe("one two")
    expect(fold([sync([said("user", "q")], true), tasks, seal, chunk("one two")], running).partial).toBe("one two")
    expect(fold([sync([said("user", "q")], false)], running).partial).toBe("")
  })

  it("treats two ends of a turn as one", () => {
    const end: AgentMessage = { type: "stream_end" }
    const state = fold([sync([], false), added("user", "q"), chunk("a"), end, end, added("assistant", "a"), end])
    expect(state).toMatchObject({ isBusy: false, partial: "", messages: [{ content: "q" }, { content: "a" }] })
  })

  it("converts times to milliseconds", () => {
    const old = { ...said("user", "q"), created_at: 1_700_000_000 }
    const state = fold([sync([old], false), { type: "message_added", message: old }, added("assistant", "a")])
    expect(state.messages.map(({ created_at: at }) => at)).toEqual(Array(3).fill(1_700_000_000_000))
  })

  it("tracks tool calls, also without a seen start", () => {
    const calls = fold([
      added("user", "q"),
      { type: "tool_result", id: "c0", name: "ls", error: "gone" },
      { type: "tool_call_start", id: "c1", name: "read", server: "s", input: { path: "a" } },
      { type: "tool_progress", name: "read", message: "half" },
    ]).calls
    expect(calls).toMatchObject([
      { id: "c0", state: "failed", result: "gone", input: undefined },
      { id: "c1", state: "running", server: "s", progress: { message: "half", part: undefined } },
    ])
  })

  it("tracks plan mode, agents and locks", () => {
    const lock = {
      agent_id: "s1",
      resource_type: "build",
      scope: "/p",
      description: "",
      status: "",
      held_for_secs: 0,
    } as const
    const state = fold([
      sync([], false),
      { type: "plan_mode_entered", plan_session_id: "plan-1", messages: [], status: "Plan Mode" },
      { type: "plan_mode_message_added", message: said("user", "think") },
      { type: "plan_mode_stream_chunk", text: "well" },
      { type: "agent_spawned", new_session_id: "s2", parent_session_id: "s1", spawn_reason: "", model: "m" },
      { type: "agent_spawned", new_session_id: "s3", parent_session_id: "s1", spawn_reason: "", model: "m" },
      { type: "agent_exiting", session_id: "s2", reason: "done", children_notified: [] },
      { type: "lock_changed", change: "acquired", lock },
    ])
    expect(state.plan).toMatchObject({ planId: "plan-1", partial: "well", isBusy: true })
    expect(state.children).toEqual(["s3"])
    expect(state.locks).toEqual([lock])
    const after = fold([{ type: "plan_mode_exited" }, { type: "lock_changed", change: "stale", lock }], state)
    expect(after).toMatchObject({ plan: undefined, locks: [], messages: [] })
  })

  it("resets the plan with a new greeting", () => {
    const greeting = [sync([], false), tasks, seal]
    const plan: AgentMessage = {
      type: "plan_mode_sync",
      plan_session_id: "plan-1",
      main_session_id: "s1",
      messages: [said("user", "how?")],
      status: "Plan Mode",
      is_busy: true,
    }
    const soFar: AgentMessage = { type: "plan_mode_stream_chunk", text: "1. Look" }
    const state = fold([...greeting, plan, soFar])
    expect(state.plan).toMatchObject({ partial: "1. Look", messages: [{ content: "how?" }] })
    expect(fold([...greeting, plan, soFar], state).plan).toEqual(state.plan)
    expect(fold(greeting, state).plan).toBeUndefined()
    expect(fold([seal], state).plan).toEqual(state.plan)
  })

  it("is bounded", () => {
    const toast: AgentMessage = { type: "toast", message: "saved", duration_ms: 1 }
    let state = fold([
      sync(
        Array.from({ length: 10_500 }, () => said("user", "q")),
        false,
      ),
    ])
    for (let n = 0; n < 50; n++) state = fold([toast, { type: "error", message: "e", fatal: false }], state)
    expect(state.messages).toHaveLength(10_000)
    expect(state).toMatchObject({ hasEarlier: true })
    expect([state.toasts.length, state.errors.length]).toEqual([20, 20])
    const long = "x".repeat(30 * 1024 * 1024)
    const large = fold([sync([said("user", long), said("user", long), said("user", long)], false)])
    expect(large.messages).toHaveLength(2)
  })
})
