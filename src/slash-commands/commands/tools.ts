// Which tools the model is offered. A mode holds from the next turn on.
import type { JsonValue, ToolMode } from "../../contract/values.ts"
import { objectsOf, textOf } from "../query-answers.ts"
import { wordsOf, wrongUsage } from "../arguments.ts"
import { done, failed, type SlashCall, type SlashGroup, type SlashStep } from "../command.ts"

export const toolCommands: SlashGroup = {
  title: "Tools",
  commands: [
    {
      name: "tools",
      usage: "[full|smart|core|none|explicit <name>…]",
      help: "lists the tools, or says which are offered",
      run: tools,
    },
    { name: "ask", usage: "[text]", help: "only tools that look, from now on; with a text, asks it", run: ask },
    { name: "edit", usage: "[text]", help: "tools as usual again (smart); with a text, says it", run: edit },
  ],
}

const modes = new Map<string, ToolMode>([
  ["full", "Full"],
  ["smart", "Smart"],
  ["core", "Core"],
  ["none", "None"],
])

/** The built-in tools that change nothing. */
const lookingTools = ["read", "grep", "find", "ls"]

export function toolModeName(mode: ToolMode): string {
  return typeof mode === "string" ? mode.toLowerCase() : `explicit (${mode.Explicit.join(", ") || "none"})`
}

function tools(call: SlashCall): SlashStep {
  const [word, ...names] = call.args
  if (word === undefined) return list(call)
  if (word === "explicit") return explicit(call, names)
  const mode = modes.get(word)
  return mode === undefined || names.length > 0 ? wrongUsage(call) : select(mode, "tool_mode_set")
}

function explicit({ options: { place = "over IPC" } }: SlashCall, names: readonly string[]): SlashStep {
  if (names.length === 0)
    return failed(`Not available ${place}: a choice of tools; name them: /tools explicit read grep`)
  return select({ Explicit: [...names] }, "tool_mode_set")
}

function list({ view: { sessionId, toolMode } }: SlashCall): SlashStep {
  const next = (value: JsonValue) => {
    const names = objectsOf(value).flatMap((tool) => textOf(tool, "name") ?? [])
    return done("tools_listed", [`Tool mode: ${toolModeName(toolMode)}`, ...names].join("\n"))
  }
  return { kind: "ask", query: { type: "tools", sessionId }, next }
}

function ask(call: SlashCall): SlashStep {
  return withWords(call, { Explicit: lookingTools }, "ask_mode")
}

function edit(call: SlashCall): SlashStep {
  return withWords(call, "Smart", "edit_mode")
}

function withWords(call: SlashCall, mode: ToolMode, action: string): SlashStep {
  const text = wordsOf(call)
  if (text === "") return select(mode, action)
  return { kind: "send", commands: [{ type: "select-tools", mode }], prompt: text, answer: done(action, text) }
}

function select(mode: ToolMode, action: string): SlashStep {
  const answer = done(action, `Tool mode: ${toolModeName(mode)}`)
  return { kind: "send", commands: [{ type: "select-tools", mode }], answer }
}
