import { describe, expect, it } from "vitest"
import * as events from "../../protocols/extension/hook-events.ts"
import { actionOf, promptRefusal, type EndedHook } from "./hook-answer.ts"
import { hookInput } from "./hook-input.ts"
import { handlerOf, matchesTool } from "./shell-hooks.ts"

const edit = events.beforeToolCall(
  { name: "edit", runtimeName: "edit", input: { path: "src/a.ts", old_string: "a", new_string: "b" } },
  "s",
)
const edited = events.afterToolCall({ name: "edit", runtimeName: "edit", input: {} }, "Changed.", "s")
const exit = (code: number, stdout = "", stderr = ""): EndedHook => ({ code, stdout, stderr })
const json = (value: object) => exit(0, JSON.stringify(value))

describe("the matcher of a hook", () => {
  it.for([
    [undefined, "bash", true],
    ["", "bash", true],
    ["*", "bash", true],
    ["Bash", "bash", true],
    ["bash", "bash", true],
    ["Edit|Write", "write", true],
    ["Edit | MultiEdit", "edit", true],
    ["Edit|Write", "bash", false],
    ["mcp__memory__.*", "mcp__memory__add", true],
    ["mcp__memory__.*", "mcp__files__add", false],
    ["Ba", "bash", false],
    ["Task", "subagent", true],
    ["Edit|Write", "apply_patch", true],
    ["Bash", "apply_patch", false],
  ] as const)("%s matches %s: %s", ([matcher, tool, result]) => {
    expect(matchesTool(matcher, tool)).toBe(result)
  })
})

describe("the input of a hook", () => {
  it("has Claude Code's names of tools and fields, and an absolute path", () => {
    expect(hookInput("PreToolUse", edit, "/project")).toEqual({
      session_id: "s",
      cwd: "/project",
      hook_event_name: "PreToolUse",
      tool_name: "Edit",
      tool_input: { file_path: "/project/src/a.ts", old_string: "a", new_string: "b" },
    })
  })

  it("has the output of the tool after the call", () => {
    expect(hookInput("PostToolUse", edited, "/project")).toMatchObject({ tool_response: { output: "Changed." } })
  })

  it("has the prompt before a message", () => {
    const event = events.beforeMessage("hello", null)
    expect(hookInput("UserPromptSubmit", event, "/project")).toMatchObject({ prompt: "hello", session_id: null })
  })
})

describe("a hook before a tool call", () => {
  const decision = (permissionDecision: string, more = {}) =>
    json({ hookSpecificOutput: { permissionDecision, permissionDecisionReason: "because", ...more } })

  it.for([
    ["exit code 2 blocks with stderr", exit(2, "", "no rm\n"), { action: "block", reason: "no rm" }],
    ["deny blocks", decision("deny"), { action: "block", reason: "because" }],
    ["ask asks", decision("ask"), { action: "confirm", message: "because" }],
    ["allow continues; approvals are up to the configuration", decision("allow"), { action: "continue" }],
    ["the older decision blocks", json({ decision: "block", reason: "old" }), { action: "block", reason: "old" }],
    ["another exit code continues", exit(1, "", "broken"), { action: "continue" }],
    ["text on stdout continues", exit(0, "fine"), { action: "continue" }],
    ["an empty reason is replaced", exit(2), { action: "block", reason: "a hook of the configuration blocked it" }],
  ] as const)("%s", ([, ended, action]) => {
    expect(actionOf("PreToolUse", ended, edit)).toEqual(action)
  })

  it("changes the input, with the fields of our tool", () => {
    const updatedInput = { file_path: "/project/b.ts", old_string: "a", new_string: "c" }
    expect(actionOf("PreToolUse", decision("allow", { updatedInput }), edit)).toEqual({
      action: "modify",
      input: { path: "/project/b.ts", old_string: "a", new_string: "c" },
    })
  })
})

describe("a hook after a tool call", () => {
  it.for([
    ["exit code 2 adds stderr", exit(2, "", "run the formatter")],
    ["block adds the reason", json({ decision: "block", reason: "run the formatter" })],
    ["additionalContext is added", json({ hookSpecificOutput: { additionalContext: "run the formatter" } })],
  ] as const)("%s", ([, ended]) => {
    expect(actionOf("PostToolUse", ended, edited)).toEqual({
      action: "replace",
      output: "Changed.\n[hook] run the formatter",
    })
  })

  it("changes nothing otherwise", () => {
    expect(actionOf("PostToolUse", exit(0, "formatted"), edited)).toEqual({ action: "continue" })
  })
})

describe("a hook before a message", () => {
  const event = events.beforeMessage("hello", "s")

  it.for([
    ["adds what it prints", exit(0, "branch main\n"), { action: "inject", content: "branch main" }],
    [
      "adds additionalContext",
      json({ hookSpecificOutput: { additionalContext: "branch main" } }),
      { action: "inject", content: "branch main" },
    ],
    ["adds nothing when it fails", exit(1, "oops"), { action: "continue" }],
    ["adds nothing of other JSON", json({ suppressOutput: true }), { action: "continue" }],
  ] as const)("%s", ([, ended, action]) => {
    expect(actionOf("UserPromptSubmit", ended, event)).toEqual(action)
  })
})

describe("a hook for edits", () => {
  const patch = (...paths: readonly string[]) => {
    const lines = paths.flatMap((path) => [`*** Add File: ${path}`, "+x"])
    const input = { input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") }
    return events.beforeToolCall({ name: "apply_patch", runtimeName: "apply_patch", input }, "s")
  }
  const answered = async (event: typeof edit, answers: Readonly<Record<string, EndedHook | string>>) => {
    const seen: unknown[] = []
    const { handle } = handlerOf("PreToolUse", { matcher: "Edit", hooks: [] }, async (part) => {
      const input = hookInput("PreToolUse", part, "/project")
      seen.push(input)
      const path = JSON.stringify(input).match(/"file_path":"\/project\/([^"]*)"/)?.[1] ?? ""
      return answers[path] ?? exit(0)
    })
    return { seen, handled: await handle(event) }
  }

  it("runs for every file of a patch, and one of them blocks it", async () => {
    const { seen, handled } = await answered(patch("a.ts", "b.ts", ".env"), { ".env": exit(2, "", "not here") })
    expect(seen).toMatchObject(
      ["a.ts", "b.ts", ".env"].map((name) => ({ tool_name: "Edit", tool_input: { file_path: `/project/${name}` } })),
    )
    expect(handled).toEqual({ kind: "result", value: { action: "block", reason: "not here" } })
  })

  it("blocks although the hook fails for another file", async () => {
    const { handled } = await answered(patch("a.ts", ".env"), { "a.ts": "timeout", ".env": exit(2, "", "not here") })
    expect(handled).toEqual({ kind: "result", value: { action: "block", reason: "not here" } })
  })

  it("blocks a patch of more files than it can check", async () => {
    const { seen, handled } = await answered(patch(...Array.from({ length: 51 }, (_, at) => `${at}`)), {})
    expect(seen).toEqual([])
    expect(handled).toMatchObject({ value: { action: "block" } })
  })
})

describe("a hook that refuses a prompt", () => {
  it.for([
    ["exit code 2 refuses with stderr", exit(2, "", "no secrets\n"), "no secrets"],
    ["a decision to block refuses with its reason", json({ decision: "block", reason: "no secrets" }), "no secrets"],
    ["a refusal without a reason has a general one", exit(2), "a hook of the configuration blocked it"],
    ["another exit code does not refuse", exit(1, "", "broken"), undefined],
    ["text does not refuse", exit(0, "block"), undefined],
  ] as const)("%s", ([, ended, reason]) => {
    expect(promptRefusal(ended)?.reason).toBe(reason)
  })
})
