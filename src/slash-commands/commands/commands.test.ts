import { describe, expect, it } from "vitest"
import type { SessionCommand } from "../../contract/commands.ts"
import type { ContextUsage } from "../../contract/views/context-usage.ts"
import { noStatus } from "../../projection/status.ts"
import { childId, id, now, request, snapshotAnswer, task, type, view } from "../fixtures/typed-command.ts"

const snapshotQuery = { type: "scene", sessionId: id, turns: 1 }

describe("commands that change the session", () => {
  it.each<readonly [string, SessionCommand, string]>([
    ["clear", { type: "clear-context" }, "history_cleared"],
    ["compact", { type: "compact" }, "compaction_started"],
    ["model m2", { type: "select-model", model: "m2" }, "model_switched"],
    ["thinking high", { type: "select-thinking", level: "high" }, "thinking_switched"],
    ["thinking default", { type: "select-thinking" }, "thinking_switched"],
    ["rewind", { type: "rewind", turns: 1 }, "rewound"],
    ["rewind 3", { type: "rewind", turns: 3 }, "rewound"],
    ["checkpoint before the change", { type: "mark", name: "before the change" }, "checkpoint_created"],
    ["rename my work", { type: "rename", name: "my work" }, "renamed"],
    ["tools full", { type: "select-tools", mode: "Full" }, "tool_mode_set"],
    ["tools explicit read grep", { type: "select-tools", mode: { Explicit: ["read", "grep"] } }, "tool_mode_set"],
    ["edit", { type: "select-tools", mode: "Smart" }, "edit_mode"],
    ["spawn", { type: "spawn", childId }, "agent_spawned"],
    ["spawn --model m2 look at it", { type: "spawn", childId, model: "m2", reason: "look at it" }, "agent_spawned"],
    ["spawn --reason look at it", { type: "spawn", childId, reason: "look at it" }, "agent_spawned"],
  ])("/%s sends one command", async (line, command, action) => {
    const { done, result } = await type(line)
    expect(done).toEqual([command])
    expect(result).toMatchObject({ success: true, action_taken: action, blocked: false })
    expect(Object.hasOwn(result, "error")).toBe(false)
  })

  it("answer with the refusal", async () => {
    const busy = await type("clear", { sent: { kind: "refused", refusal: { code: "session.busy" } } })
    expect(busy.result).toMatchObject({ success: false, error: expect.stringContaining("busy") })
    expect(Object.hasOwn(busy.result, "action_taken")).toBe(false)
  })

  it.each([
    "rewind 0",
    "rewind x",
    "restore",
    "rename",
    "plan",
    "task:add",
    "task:add x --priority big",
    "task:start x",
  ])("show the usage and send nothing for wrong arguments: /%s", async (line) => {
    const { done, result } = await type(line)
    expect(done).toEqual([])
    expect(result.error).toMatch(new RegExp(`^Usage: /${line.split(" ")[0]} `))
  })

  it("refuse an unknown thinking level", async () => {
    const { done, result } = await type("thinking deep")
    expect(done).toEqual([])
    expect(result.error).toBe("'deep' is not a level. Use one of: default, off, minimal, low, medium, high, max.")
  })

  it("refuse a name that is too long", async () => {
    expect((await type(`rename ${"x".repeat(1001)}`)).result.error).toContain("1000 are allowed")
    expect((await type(`task:add ${"x".repeat(1001)}`)).done).toEqual([])
  })

  it("leave ending the session to the client: /exit", async () => {
    expect(await type("exit")).toMatchObject({ exits: true, done: [], result: { action_taken: "exit_requested" } })
  })
})

describe("checkpoints", () => {
  const marks = [
    { name: "a", toSeq: 5 },
    { name: "1", toSeq: 9 },
    { name: "a", toSeq: 12 },
  ]
  const host = snapshotAnswer({ marks })

  it("are listed by number", async () => {
    expect((await type("checkpoints", snapshotAnswer())).result.output).toBe("No checkpoints")
    expect((await type("checkpoints", host)).result.output).toBe("1. a\n2. 1\n3. a")
  })

  it.each([
    ["a", 12],
    ["1", 9],
    ["3", 12],
  ])(
    "/restore %s rewinds to %i: a name wins over a number, the newest of two with one name",
    async (nameOrNumber, toSeq) => {
      const { done } = await type(`restore ${nameOrNumber}`, host)
      expect(done).toEqual([snapshotQuery, { type: "rewind", toSeq }])
    },
  )

  it("/restore reports an unknown checkpoint", async () => {
    const { done, result } = await type("restore b", host)
    expect(done).toEqual([snapshotQuery])
    expect(result.error).toBe("No checkpoint 'b'; /checkpoints lists them")
  })

  it("/checkpoint without a name takes the next unused number", async () => {
    const used = [
      { name: "a", toSeq: 5 },
      { name: "checkpoint-3", toSeq: 9 },
    ]
    const { done, result } = await type("checkpoint", snapshotAnswer({ marks: used }))
    expect(done).toEqual([snapshotQuery, { type: "mark", name: "checkpoint-4" }])
    expect(result).toMatchObject({ output: "checkpoint-4", action_taken: "checkpoint_created" })
  })
})

describe("tasks", () => {
  const tasks = [
    task(1, { status: "in-progress", startedAt: 27_000, priority: "high" }),
    task(2, { parent: 1, dependsOn: [3] }),
    task(3, { status: "completed", startedAt: 0, endedAt: 3_723_000 }),
  ]
  const change = { tasks }

  it("are shown as a tree and listed by number", async () => {
    const { output } = (await type("tasks", { change })).result
    expect(output).toBe("◐ 🟠 task 1\n└── ○ task 2\n● task 3\n1 of 3 completed")
    expect((await type("tasks")).result.output).toBe("No tasks")
    const listed = (await type("task:list", { change })).result.output
    expect(listed).toBe("1. [in-progress] task 1 (high)\n2. [pending] task 2 (under 1; after 3)\n3. [completed] task 3")
    expect((await type("task:ready", { change })).result.output).toBe("2. [pending] task 2 (under 1; after 3)")
  })

  it("/task:complete and /task:skip default to the task in progress", async () => {
    const completed = { type: "change-task", task: 1, status: "completed" }
    expect((await type("task:complete", { change })).done).toEqual([completed])
    const skipped = { type: "change-task", task: 1, status: "skipped", reason: "not needed" }
    expect((await type("task:skip not needed", { change })).done).toEqual([skipped])
    expect((await type("task:complete")).result.error).toBe("No task is in progress; name one: /task:complete N")
  })

  it("are changed by number", async () => {
    const started = { type: "change-task", task: 2, status: "in-progress" }
    expect((await type("task:start 2", { change })).done).toEqual([started])
    const blocked = { type: "change-task", task: 2, status: "blocked", reason: "no key" }
    expect((await type("task:block #2 no key", { change })).done).toEqual([blocked])
    expect((await type("task:depends 2 1", { change })).done).toEqual([{ type: "change-task", task: 2, dependsOn: 1 }])
    expect((await type("task:add part --under 1", { change })).done.slice(0, 1)).toEqual([
      { type: "add-task", text: "part", parent: 1 },
    ])
    expect((await type("task:start 7", { change })).result.error).toBe("There is no task 7; /task:list shows them")
    expect((await type("task:add part --under 7", { change })).done).toEqual([])
  })

  it("/task:add answers with the number of the new task", async () => {
    const host = snapshotAnswer({ tasks: [task(1), task(2, { text: "fix it", priority: "high" })] })
    const { done, result } = await type("task:add --priority high fix it", host)
    expect(done[0]).toEqual({ type: "add-task", text: "fix it", priority: "high" })
    expect(result).toMatchObject({ success: true, output: "2. [pending] fix it (high)", action_taken: "task_added" })
    const unseen = await type("task:add fix it")
    expect(unseen.done[0]).toEqual({ type: "add-task", text: "fix it" })
    expect(unseen.result).toMatchObject({ success: true, output: "fix it" })
  })

  it("/task:time shows the time spent", async () => {
    expect((await type("task:time", { change })).result.output).toBe("1. task 1: 1:03 so far\n3. task 3: 1:02:03")
    expect((await type("task:time 2", { change })).result.output).toBe("2. task 2: not started")
  })
})

describe("approvals", () => {
  it("/answer answers the oldest question, or the one that is named, and no approval", async () => {
    const questions = [{ question: "Which?", options: [{ label: "a" }, { label: "b" }] }]
    const open = [request("apr_aa11"), request("apr_bb11", { questions }), request("apr_bb22", { questions })]
    const answer = { type: "approve", approvalId: "apr_bb11", approved: true, answer: "my own words" }
    const change = { requests: open }
    expect((await type("answer my own words", { change })).done).toEqual([answer])
    expect((await type("answer apr_bb2 2", { change })).done).toEqual([
      { ...answer, approvalId: "apr_bb22", answer: "2" },
    ])
    expect((await type("answer apr_aa11 2", { change })).result.error).toContain("No pending question matches")
    expect((await type("answer apr_bb 2", { change })).result.error).toContain("matches more than one")
    expect((await type("answer 2", { change: { requests: [request("apr_aa11")] } })).result.error).toBe(
      "No question is pending",
    )
    expect((await type("approvals:list", { change })).result.output).toContain("apr_bb11  question: Which?\n  1. a")
  })

  it("/always does not answer a request of an MCP server, and the list says who asks", async () => {
    const server = { name: "shop", wants: "answers" as const }
    const questions = [{ question: "Size?", options: [] }]
    const change = { requests: [request("apr_aa11", { server, questions, reason: "MCP server 'shop' asks: x" })] }
    const { done, result } = await type("always", { change })
    expect(done).toEqual([])
    expect(result.error).toContain("A request of an MCP server is allowed once")
    expect((await type("approvals:list", { change })).result.output).toContain("MCP server 'shop' asks: x\nSize?")
  })

  const requests = [request("apr_aa11"), request("apr_ab22", { sessionId: childId, digest: "d" })]

  it("/approve defaults to the oldest; the answer carries the digest that was shown", async () => {
    const oldest = { type: "approve", approvalId: "apr_aa11", approved: true }
    expect((await type("approve", { change: { requests } })).done).toEqual([oldest])
    const other = { type: "approve", approvalId: "apr_ab22", approved: false, digest: "d" }
    expect((await type("deny ab2", { change: { requests } })).done).toEqual([other])
  })

  it("must be named within a second after another was answered", async () => {
    const change = { requests, answeredAt: now - 999 }
    const { done, result } = await type("approve", { change })
    expect(done).toEqual([])
    expect(result.error).toBe("Another request was just answered. Name the one you mean: /approve apr_aa11")
    expect((await type("approve aa11", { change })).done).toHaveLength(1)
    expect((await type("approve", { change: { requests, answeredAt: now - 1000 } })).done).toHaveLength(1)
  })

  it.each([
    ["approve", [], "No pending approvals"],
    ["approve zz", requests, "No pending approval matches 'zz'; /approvals:list shows them"],
    ["deny a", requests, "'a' matches more than one request"],
  ])("/%s sends nothing when the request is unknown or ambiguous", async (line, pending, error) => {
    const { done, result } = await type(line, { change: { requests: pending } })
    expect(done).toEqual([])
    expect(result.error).toBe(error)
  })

  it("are listed with the call and the agent that waits", async () => {
    const { output } = (await type("approvals:list", { change: { requests } })).result
    expect(output).toContain('apr_aa11  bash {"command":"make"}: bash can do anything\n')
    expect(output).toContain(`(agent ${childId})`)
  })
})

describe("commands that send a prompt", () => {
  it("send a prepared prompt", async () => {
    const { done, result } = await type("plan fix the door")
    expect(done).toEqual([{ prompt: expect.stringContaining("fix the door") }])
    expect(result).toMatchObject({ success: true, action_taken: "message_added" })
    expect((await type("review")).done).toEqual([{ prompt: expect.stringContaining("git diff") }])
    expect((await type("brainwires")).done).toEqual([{ prompt: expect.stringContaining("BRAINWIRES.md") }])
  })

  it("/ask selects read-only tools before it sends the prompt", async () => {
    const { done, result } = await type("ask what is it?")
    const mode = { Explicit: ["read", "grep", "find", "ls"] }
    expect(done).toEqual([{ type: "select-tools", mode }, { prompt: "what is it?" }])
    expect(result).toMatchObject({ output: "what is it?", action_taken: "ask_mode" })
  })
})

describe("commands that query the host", () => {
  it("list models and providers", async () => {
    const value = [
      { provider: "a", id: "x" },
      { provider: "a", id: "y" },
      { provider: "b", id: "z" },
    ].map((model) => ({ ...model, name: "", isDefault: false }))
    const answers = { models: { kind: "answer", value } } as const
    const change = { status: { ...view.status, model: "a/y" } }
    expect((await type("models", { answers, change })).result.output).toBe("  a/x\n* a/y\n  b/z")
    expect((await type("provider b", { answers })).result.output).toBe("  b/z")
    expect((await type("provider", { answers })).result.output).toContain("a  2 models\nb  1 model")
    expect((await type("models c", { answers })).result.error).toBe("Provider 'c' has no models")
  })

  it("/context shows what fills the window, as a bar and a table", async () => {
    const value: ContextUsage = {
      model: "a/large",
      window: 20_000,
      compactsAt: 16_000,
      parts: [
        { kind: "system", tokens: 1000 },
        { kind: "instructions", name: "~/.claude/CLAUDE.md", tokens: 40 },
        { kind: "instructions", name: "AGENTS.md", tokens: 960 },
        { kind: "tools", tokens: 2000 },
        { kind: "summary", tokens: 0 },
        { kind: "messages", tokens: 500 },
        { kind: "results", tokens: 5500 },
      ],
      agedResults: 2,
      reported: 10_312,
    }
    const answers = { "context-usage": { kind: "answer", value } } as const
    const { output } = (await type("context", { answers })).result
    expect(output?.split("\n")).toEqual([
      "a/large: about 10,000 of 20,000 tokens (50 %)",
      "███▓▓▓▒▒▒▒▒▒░░▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪·····························",
      "█ System prompt           1,000   5.0 %",
      "▓ Instructions            1,000   5.0 %",
      "    ~/.claude/CLAUDE.md      40   0.2 %",
      "    AGENTS.md               960   4.8 %",
      "▒ Tools                   2,000    10 %",
      "≡ Summary                     0     0 %",
      "░ Messages                  500   2.5 %",
      "▪ Tool results            5,500    28 %  2 older results are replaced by a note",
      "· Free                   10,000    50 %  compacted at 16,000",
      "The provider counted 10,312 with the newest answer.",
    ])
  })

  it("/compact passes on what matters", async () => {
    expect((await type("compact the login bug")).done).toEqual([{ type: "compact", focus: "the login bug" }])
    expect((await type("compact")).done).toEqual([{ type: "compact" }])
    expect((await type(`compact ${"x".repeat(1001)}`)).result.error).toContain("1000 are allowed")
  })

  it("show open agents, and hibernate or wake whole trees by their roots", async () => {
    const status = { ...noStatus, model: "m1" }
    const host = { hostId: "h", role: "run", pid: 1 }
    const value = [
      { sessionId: childId, host, status: { ...status, parentId: id, spawnReason: "look" } },
      { sessionId: id, host, status },
      { sessionId: "closed", host: null, status },
      { sessionId: "asleep", host: null, status: { ...status, hibernated: true } },
    ].map((line) => ({ ...line, createdAt: 0, updatedAt: 0, seq: 1, activity: "idle" as const }))
    const home = { answers: { sessions: { kind: "answer", value } }, options: { blocked: [] } } as const
    const tree = (await type("tree", home)).result.output
    expect(tree).toBe(`Agents:\n└── ${id} [m1] idle ← current\n    └── ${childId} [m1] idle (look)`)
    expect((await type("agents", home)).result.output).toBe(`  ${childId} [m1] idle (look)\n* ${id} [m1] idle`)
    expect((await type("hibernate", home)).done).toEqual([{ type: "hibernate" }])
    expect((await type("hibernate all", home)).done.slice(1)).toEqual([{ sessionId: id, type: "hibernate" }])
    expect((await type("resume:agents", home)).done.slice(1)).toEqual([{ sessionId: "asleep", type: "wake" }])
  })

  it("answer with the host's refusal", async () => {
    const answers = { tools: { kind: "refused", refusal: { code: "host.leaving" } } } as const
    expect((await type("tools", { answers })).result).toMatchObject({ success: false, error: expect.any(String) })
  })
})

describe("unavailable commands", () => {
  it.each(["shells", "hotkeys", "keys", "switch x", "resume x", "tools explicit"])(
    "/%s names the place where it is not available",
    async (line) => {
      expect((await type(line)).result.error).toMatch(/^Not available over IPC/)
      expect((await type(line, { options: { place: "here" } })).result.error).toMatch(/^Not available here/)
    },
  )

  it.each(["plans", "templates", "knowledge:list", "skill:show", "dream:run", "context:add a"])(
    "/%s is not available in this release",
    async (line) => {
      const { done, result } = await type(line)
      expect(done).toEqual([])
      expect(result.error).toMatch(/is not available in this release$/)
    },
  )
})

it("/status shows the state of the session", async () => {
  const { output } = (await type("status", { change: { requests: [request("apr_1")] } })).result
  expect(output).toContain(
    `Session: ${id}\nModel: m1\nStatus: idle\nFolder: /p\nTurns: 0\nTools: smart\nPending approvals: 1`,
  )
})
