import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../contract/values.ts"
import type { HookEvent, HookKind } from "../../protocols/extension/frames.ts"
import * as events from "../../protocols/extension/hook-events.ts"
import { collect, replaceOutput, decideByGuards, decideOn, notify, type Handled, type Handler } from "./bus.ts"

const bash = (input: JsonValue = { command: "ls" }) =>
  events.beforeToolCall({ name: "bash", runtimeName: "bash", input }, "s")
const passed: Handled = { kind: "result", value: { action: "continue" } }

/** Handlers that note who was asked what. */
function company() {
  const asked: string[] = []
  const warnings: string[] = []
  const handler = (extension: string, answer: Handled | JsonValue, more: Partial<Handler> = {}): Handler => ({
    extension,
    kind: "before_tool_call",
    tool: undefined,
    match: undefined,
    isGuard: false,
    mayReplace: false,
    handle: async () => {
      asked.push(extension)
      return isHandled(answer) ? answer : { kind: "result", value: answer }
    },
    ...more,
  })
  return { asked, warnings, handler, warn: (sentence: string) => void warnings.push(sentence) }
}

function isHandled(answer: Handled | JsonValue): answer is Handled {
  return typeof answer === "object" && answer !== null && "kind" in answer
}

describe("handlers of a tool call", () => {
  it("are all called in order while they answer continue (case 1)", async () => {
    const { asked, handler, warn } = company()
    const handlers = [handler("a", { action: "continue" }), handler("next", { action: "continue", more: 1 })]
    expect(await decideOn(handlers, bash(), warn)).toEqual({ kind: "continue" })
    expect(asked).toEqual(["a", "next"])
  })

  it.for([
    ["blocks (case 2)", { action: "block", reason: "R" }, { kind: "block", by: "a", reason: "R" }],
    ["asks (case 3)", { action: "confirm", message: "M" }, { kind: "confirm", by: "a", message: "M" }],
    [
      "changes the input (cases 6 and 27)",
      { action: "modify", input: { x: 1 } },
      { kind: "modify", by: "a", input: { x: 1 } },
    ],
    ["changes the input to null (case 8)", { action: "modify", input: null }, { kind: "modify", by: "a", input: null }],
  ] as const)("are not called after one that %s", async ([, answer, ruling]) => {
    const { asked, handler, warn } = company()
    expect(
      await decideOn([handler("a", answer), handler("next", { action: "block", reason: "N" })], bash(), warn),
    ).toEqual(ruling)
    expect(asked).toEqual(["a"])
  })

  it("block a call when a modify has no input (case 7)", async () => {
    const { handler, warn } = company()
    const ruling = await decideOn([handler("a", { action: "modify" })], bash(), warn)
    expect(ruling).toEqual({ kind: "block", by: "a", reason: expect.stringContaining("malformed modify") })
  })

  it.for([
    ["inject (case 9)", { action: "inject", content: "x" }],
    ["block without a reason (case 10)", { action: "block" }],
    ["block with a reason that is a number (case 10)", { action: "block", reason: 5 }],
    ["confirm without a message (case 11)", { action: "confirm", prompt: "?" }],
    ["an unknown action (case 12)", { action: "inject_message", content: "x" }],
    ["an action in the wrong case (case 12)", { action: "Block", reason: "R" }],
    ["nothing (case 12)", {}],
    ["null (case 12)", null],
    ["text (case 12)", "block"],
    ["a failure", { kind: "failed", reason: "it ended" }],
  ] as const)("that answer %s are skipped, and the next is called", async ([, answer]) => {
    const { asked, handler, warn } = company()
    expect(await decideOn([handler("a", answer), handler("next", passed)], bash(), warn)).toEqual({ kind: "continue" })
    expect(asked).toEqual(["a", "next"])
  })

  it("cause a warning when they answer an action that the hook does not accept (case 9)", async () => {
    const { handler, warn, warnings } = company()
    await decideOn([handler("a", { action: "inject", content: "x" })], bash(), warn)
    expect(warnings).toEqual(["a answered before_tool_call with inject, which before_tool_call does not allow"])
  })

  it("block with the reason of the first that blocks (case 26)", async () => {
    const { handler, warn } = company()
    const block = (reason: string) => ({ action: "block", reason })
    expect(await decideOn([handler("a", block("of a")), handler("b", block("of b"))], bash(), warn)).toEqual({
      kind: "block",
      by: "a",
      reason: "of a",
    })
  })

  it("are called as often as their manifest names the hook (case 25)", async () => {
    const { asked, handler, warn } = company()
    await decideOn([handler("a", passed, { tool: "bash" }), handler("a", passed)], bash(), warn)
    expect(asked).toEqual(["a", "a"])
  })
})

describe("several guards", () => {
  const confirm = (message: string) => ({ action: "confirm", message })

  it("are all called, also after one that confirms, and a block wins", async () => {
    const { asked, handler, warn } = company()
    const guards = [handler("a", confirm("sure?")), handler("b", { action: "block", reason: "never" })]
    expect(await decideByGuards(guards, bash(), warn)).toEqual({ kind: "block", by: "b", reason: "never" })
    expect(asked).toEqual(["a", "b"])
  })

  it("block when one fails after another confirmed", async () => {
    const { handler, warn } = company()
    const broken = handler("b", { kind: "failed", reason: "it ended" }, { isGuard: true })
    expect(await decideByGuards([handler("a", confirm("sure?")), broken], bash(), warn)).toMatchObject({
      kind: "block",
      by: "b",
    })
  })

  it("have their questions joined", async () => {
    const { handler, warn } = company()
    const guards = [handler("a", confirm("one?")), handler("b", passed), handler("c", confirm("two?"))]
    expect(await decideByGuards(guards, bash(), warn)).toEqual({ kind: "confirm", by: "a", message: "one?\n\ntwo?" })
    expect(await decideByGuards([handler("b", passed)], bash(), warn)).toEqual({ kind: "continue" })
  })

  it("follow the first that blocks or modifies", async () => {
    const { asked, handler, warn } = company()
    const guards = [handler("a", { action: "modify", input: 1 }), handler("b", { action: "block", reason: "no" })]
    expect(await decideByGuards(guards, bash(), warn)).toEqual({ kind: "modify", by: "a", input: 1 })
    expect(asked).toEqual(["a"])
  })
})

describe("a guard", () => {
  it.for([
    ["fails", { kind: "failed", reason: "it did not answer within 5 s" }, "it did not answer within 5 s"],
    ["answers an unknown action", { action: "deny" }, "'deny'"],
    ["answers what the hook does not take", { action: "inject", content: "x" }, "inject"],
    ["answers nothing", null, "without an action"],
  ] as const)("blocks the call when it %s", async ([, answer, why]) => {
    const { handler, warn } = company()
    const ruling = await decideOn([handler("policy", answer, { isGuard: true })], bash(), warn)
    expect(ruling).toEqual({ kind: "block", by: "policy", reason: expect.stringContaining(why) })
  })

  it("continues a call when it answers continue", async () => {
    const { handler, warn } = company()
    expect(await decideOn([handler("policy", passed, { isGuard: true })], bash(), warn)).toEqual({ kind: "continue" })
  })
})

describe("the handlers that are called", () => {
  const isAsked = async (event: HookEvent, more: Partial<Handler>) => {
    const { asked, handler, warn } = company()
    await notify([handler("a", passed, { kind: event.kind, ...more })], event, warn)
    return asked.length === 1
  }

  it("are selected by the exact name of the tool (cases 18, 19 and 20)", async () => {
    const read = events.beforeToolCall({ name: "read", runtimeName: "read", input: {} }, null)
    const echo = events.beforeToolCall({ name: "ext_echo", runtimeName: "ext:echo", input: {} }, null)
    expect(await isAsked(read, { tool: "bash" })).toBe(false)
    expect(await isAsked(echo, { tool: "ext:echo" })).toBe(true)
    expect(await isAsked(echo, { tool: "ext_echo" })).toBe(true)
    expect(await isAsked(bash(), { tool: "Bash" })).toBe(false)
    expect(await isAsked(bash(), { tool: "ba*" })).toBe(false)
  })

  it("are selected by a part of the input's compact JSON with sorted keys (cases 21 and 22)", async () => {
    expect(await isAsked(bash({ b: 2, a: 1 }), { match: { input_contains: '"a":1,"b":2' } })).toBe(true)
    expect(await isAsked(bash({ 9: 1, 10: 2 }), { match: { input_contains: '{"10":2,"9":1}' } })).toBe(true)
    expect(
      await isAsked(bash({ in: { z: 1, y: [{ d: 1, c: 2 }] } }), { match: { input_contains: '[{"c":2,"d":1}]' } }),
    ).toBe(true)
    expect(await isAsked(bash({ command: "a\nb" }), { match: { input_contains: "a\nb" } })).toBe(false)
    expect(await isAsked(bash({ command: "a\nb" }), { match: { input_contains: String.raw`a\nb` } })).toBe(true)
    expect(await isAsked(bash({ command: "ls /é" }), { match: { input_contains: "/é" } })).toBe(true)
  })

  it("are selected by the whole input (case 23)", async () => {
    const match = { input_equals: { command: "x", list: [1] } }
    expect(await isAsked(bash({ list: [1], command: "x" }), { match })).toBe(true)
    expect(await isAsked(bash({ list: [1], command: "x", timeout: 1 }), { match })).toBe(false)
  })

  it("are not restricted by empty conditions", async () => {
    expect(await isAsked(bash(), { match: {} })).toBe(true)
    expect(await isAsked(bash(), { match: { input_equals: null } })).toBe(true)
    expect(await isAsked(bash(), { match: { input_contains: "ls", input_equals: { command: "rm" } } })).toBe(false)
  })

  it("are matched against null where there is no tool (case 24)", async () => {
    const event = events.beforeMessage("hello", null)
    expect(await isAsked(event, { match: { input_contains: "null" } })).toBe(true)
    expect(await isAsked(event, { match: { input_contains: "hello" } })).toBe(false)
  })
})

describe("text injected into a message", () => {
  const event = events.beforeMessage("hello", "s")
  const about = { kind: "before_message" } as const

  it("is the text of all handlers, separated by blank lines (case 14)", async () => {
    const { handler, warn } = company()
    const handlers = [
      handler("a", { action: "inject", content: "A" }, about),
      handler("b", { action: "inject", content: "B" }, about),
    ]
    expect(await collect(handlers, event, warn)).toBe("A\n\nB")
  })

  it("is absent when it is blank, or when handlers answer block (cases 15 and 17)", async () => {
    const { handler, warn } = company()
    const answers: JsonValue[] = [{ action: "inject", content: " \n" }, { action: "block", reason: "R" }, passed]
    expect(
      await collect(
        answers.map((answer) => handler("a", answer, about)),
        event,
        warn,
      ),
    ).toBeUndefined()
  })
})

describe("after a tool call", () => {
  const tool = { name: "bash", runtimeName: "bash", input: {} }
  const event = events.afterToolCall(tool, "output", "s")
  const about = { kind: "after_tool_call" } as const

  it.for([{ action: "block", reason: "R" }, { action: "modify", input: {} }, { action: "modify" }])(
    "is nothing for %o (case 13)",
    async (answer) => {
      const { handler, warn } = company()
      expect(await replaceOutput([handler("a", answer, about)], event, warn)).toBeUndefined()
    },
  )

  it("the first handler with the permission replaces the output (case 67)", async () => {
    const { asked, handler, warn, warnings } = company()
    const replace = (output: JsonValue) => ({ action: "replace", output })
    const handlers = [
      handler("malformed", replace(7), { ...about, mayReplace: true }),
      handler("not entitled", replace("X"), about),
      handler("entitled", replace("Y"), { ...about, mayReplace: true }),
      handler("later", replace("Z"), { ...about, mayReplace: true }),
    ]
    expect(await replaceOutput(handlers, event, warn)).toEqual({ by: "entitled", output: "Y" })
    expect(asked).toEqual(["malformed", "not entitled", "entitled"])
    expect(warnings).toContain("not entitled needs the permission tools.transform_output to replace a tool's output")
  })

  it("a replaced output of two megabytes is cut at one, between characters (case 67)", async () => {
    const { handler, warn } = company()
    const output = `a${"é".repeat(1024 * 1024)}`
    const handlers = [handler("a", { action: "replace", output }, { ...about, mayReplace: true })]
    const replaced = await replaceOutput(handlers, event, warn)
    expect(replaced?.output).toBe(`a${"é".repeat(512 * 1024 - 1)}`)
  })
})

describe("handlers that are only notified", () => {
  it.for(["on_message_complete", "on_compaction", "on_session_end", "on_usage"] satisfies HookKind[])(
    "changes nothing at %s (case 16)",
    async (kind) => {
      const { asked, handler, warn } = company()
      const answers: JsonValue[] = [
        { action: "block", reason: "R" },
        { action: "inject", content: "x" },
        { action: "modify" },
      ]
      const event = { ...events.onSessionStart("s"), kind }
      await notify(
        answers.map((answer) => handler("a", answer, { kind })),
        event,
        warn,
      )
      expect(asked).toHaveLength(3)
      expect(
        await collect(
          answers.map((answer) => handler("a", answer, { kind })),
          event,
          warn,
        ),
      ).toBeUndefined()
    },
  )
})
