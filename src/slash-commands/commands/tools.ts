// Which tools the model is offered, from the next turn on.
import { readOnlyToolNames } from "../../contract/rules/core-tools.ts"
import type { ToolMode } from "../../contract/values.ts"
import { textOf, usageError } from "../arguments.ts"
import type { SlashCall, SlashGroup, SlashStep } from "../command.ts"
import { done, failed, prompt, query, send } from "../steps.ts"

export const toolCommands: SlashGroup = {
  title: "Tools",
  commands: [
    {
      name: "tools",
      usage: "[full|smart|core|none|explicit <name>…]",
      help: "list tools, or select which are offered",
      run: tools,
    },
    {
      name: "ask",
      usage: "[text]",
      help: "offer only read-only tools; with a text, send it",
      run: (call) => selectAndPrompt(call, { Explicit: [...readOnlyToolNames] }, "ask_mode"),
    },
    {
      name: "edit",
      usage: "[text]",
      help: "offer tools as usual again (smart); with a text, send it",
      run: (call) => selectAndPrompt(call, "Smart", "edit_mode"),
    },
  ],
}

const modes = new Map<string, ToolMode>([
  ["full", "Full"],
  ["smart", "Smart"],
  ["core", "Core"],
  ["none", "None"],
])

export function toolModeName(mode: ToolMode): string {
  return typeof mode === "string" ? mode.toLowerCase() : `explicit (${mode.Explicit.join(", ") || "none"})`
}

function tools(call: SlashCall): SlashStep {
  const [word, ...names] = call.args
  if (word === undefined) return listTools(call)
  if (word === "explicit") return selectNamed(call, names)
  const mode = modes.get(word)
  return mode === undefined || names.length > 0 ? usageError(call) : select(mode, "tool_mode_set")
}

function selectNamed({ options: { place = "over IPC" } }: SlashCall, names: readonly string[]): SlashStep {
  if (names.length === 0)
    return failed(`Not available ${place}: a picker of tools. Name them: /tools explicit read grep`)
  return select({ Explicit: [...names] }, "tool_mode_set")
}

function listTools({ view: { sessionId, toolMode } }: SlashCall): SlashStep {
  return query({ type: "tools", sessionId }, (offered) => {
    const names = offered.map(({ name }) => name)
    return done("tools_listed", [`Tool mode: ${toolModeName(toolMode)}`, ...names].join("\n"))
  })
}

function selectAndPrompt(call: SlashCall, mode: ToolMode, action: string): SlashStep {
  const text = textOf(call)
  if (text === "") return select(mode, action)
  return send({ type: "select-tools", mode }, prompt(text, done(action, text)))
}

function select(mode: ToolMode, action: string): SlashStep {
  return send({ type: "select-tools", mode }, done(action, `Tool mode: ${toolModeName(mode)}`))
}
