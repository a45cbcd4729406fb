// Giving work to another agent: waiting for its answer, or going on and collecting it later. The agent is a session of
// its own with its own log; what it may do is judged there, call by call.
import { checks, toolInputSchemas } from "../contract/generated/tool-inputs.js"
import type { SubagentInput } from "../contract/tool-inputs.ts"
import { defineTool, failed, inOneGo } from "./define-tool.ts"
import type { AgentOrder, AgentResult, Tool, ToolContext, ToolResult } from "./tool.ts"

export const noAgents = failed("This session can have no agents.")

export function subagentTool(): Tool {
  return defineTool<SubagentInput>({
    name: "subagent",
    description:
      "Gives a task to another agent and waits for its answer, which is the result. The agent works in the same folder, " +
      "knows nothing of this conversation, and has the same tools. Several calls in one step work side by side.",
    class: "keyed",
    check: checks.subagent,
    inputSchema: toolInputSchemas.subagent,
    prepare: async (input, context) => inOneGo(context, () => delegate(input, context)),
  })
}

export function subagentStartTool(): Tool {
  return defineTool<SubagentInput>({
    name: "subagent_start",
    description:
      "Gives a task to another agent and returns its id at once. Look after it with subagent_status, tell it more with " +
      "subagent_steer, and get its answer with subagent_collect.",
    class: "keyed",
    check: checks.subagent_start,
    inputSchema: toolInputSchemas.subagent_start,
    prepare: async (input, context) => inOneGo(context, () => start(input, context)),
  })
}

async function delegate(input: SubagentInput, { agents }: ToolContext): Promise<ToolResult> {
  if (agents === undefined) return noAgents
  const started = await agents.start(orderOf(input, true))
  if (started.kind === "no") return failed(started.why)
  const { timeout } = input
  const result = await agents.result(started.id, timeout === undefined ? undefined : timeout * 1000)
  if (result.kind === "still-there")
    return failed(`The agent had no answer after ${timeout} s and was ended.`, { id: started.id })
  return resultOf(result, started.id)
}

async function start(input: SubagentInput, { agents }: ToolContext): Promise<ToolResult> {
  if (agents === undefined) return noAgents
  const started = await agents.start(orderOf(input, false))
  if (started.kind === "no") return failed(started.why)
  return { outcome: "done", output: `Agent ${started.id} has begun.`, details: { id: started.id } }
}

function orderOf(input: SubagentInput, isWaitedFor: boolean): AgentOrder {
  const { task, agent: role, system_prompt: system, model, timeout } = input
  const endAfterMs = isWaitedFor || timeout === undefined ? undefined : timeout * 1000
  return { task, role, system, model, isWaitedFor, endAfterMs }
}

export function resultOf(result: AgentResult, id: string): ToolResult {
  const details = { id }
  switch (result.kind) {
    case "ended":
      if (result.outcome === "done")
        return { outcome: "done", output: result.text || "The agent ended without a word.", details }
      return failed(`The agent ${result.outcome === "failed" ? "failed" : "was stopped"}: ${result.text}`, details)
    case "still-there":
      return { outcome: "done", output: `Agent ${id} still works.`, details }
    case "left":
      return failed(`Agent ${id} was let go and works on as a session of its own.`, details)
    case "unknown":
      return failed(`This session has no agent ${id}.`, details)
  }
}
