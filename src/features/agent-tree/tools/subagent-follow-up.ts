// Tools for agents that were started: their status, messages to them, and their answers. Answers stay in the log of the
// parent session and can be collected more than once.
import { checks, toolInputSchemas } from "../../../contract/generated/tool-inputs.js"
import type { SubagentCollectInput, SubagentStatusInput, SubagentSteerInput } from "../../../contract/tool-inputs.ts"
import { cancelled, defineTool, failed, inOneGo } from "../../../tools/define-tool.ts"
import type { CommandDeps } from "../../../tools/start-command.ts"
import { noAgents, resultOf, withWork } from "./subagent.ts"
import type { AgentLine, Tool, ToolContext, ToolResult } from "../../../tools/tool.ts"

export function followUpTools(deps: CommandDeps): Tool[] {
  return [statusTool(), steerTool(), collectTool(deps)]
}

function statusTool(): Tool {
  return defineTool<SubagentStatusInput>({
    name: "subagent_status",
    description: "Says what one agent or all agents are doing and what they have cost so far.",
    class: "read",
    check: checks.subagent_status,
    inputSchema: toolInputSchemas.subagent_status,
    prepare: async (input, context) => inOneGo(context, () => look(input, context)),
  })
}

function steerTool(): Tool {
  return defineTool<SubagentSteerInput>({
    name: "subagent_steer",
    description: "Tells a working agent something; it reads it before its next step.",
    class: "keyed",
    check: checks.subagent_steer,
    inputSchema: toolInputSchemas.subagent_steer,
    prepare: async (input, context) => inOneGo(context, () => steer(input, context)),
  })
}

function collectTool(deps: CommandDeps): Tool {
  return defineTool<SubagentCollectInput>({
    name: "subagent_collect",
    description: "Waits for the answer of an agent and returns it.",
    class: "read",
    check: checks.subagent_collect,
    inputSchema: toolInputSchemas.subagent_collect,
    prepare: async (input, context) => inOneGo(context, () => collect(input, context, deps)),
  })
}

async function look({ id }: SubagentStatusInput, { agents }: ToolContext): Promise<ToolResult> {
  if (agents === undefined) return noAgents
  const lines = await agents.look(id)
  if (lines.length > 0) return { outcome: "done", output: lines.map(lineOf).join("\n") }
  return id === undefined ? { outcome: "done", output: "There are no agents." } : resultOf({ kind: "unknown" }, id)
}

function lineOf({ id, role, state, doing, costUsd }: AgentLine): string {
  const detail = doing === "" || doing === state ? "" : `, ${doing}`
  return `${id}${role === undefined ? "" : ` (${role})`}: ${state}${detail}, $${costUsd.toFixed(4)}`
}

async function steer({ id, message }: SubagentSteerInput, { agents }: ToolContext): Promise<ToolResult> {
  if (agents === undefined) return noAgents
  const why = await agents.steer(id, message)
  return why === undefined ? { outcome: "done", output: `Agent ${id} was told.` } : failed(why)
}

async function collect(
  { id, timeout }: SubagentCollectInput,
  context: ToolContext,
  deps: CommandDeps,
): Promise<ToolResult> {
  const { agents, signal } = context
  if (agents === undefined) return noAgents
  const result = await agents.result(id, timeout === undefined ? undefined : timeout * 1000)
  if (signal.aborted) return cancelled // the agent may still be running
  return withWork(resultOf(result, id), result, id, context, deps)
}
