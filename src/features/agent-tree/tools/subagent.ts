// Tools that give a task to another agent and wait for its answer, or collect it later. The agent is a session with its
// own log; its calls are judged there.
import { checks, toolInputSchemas } from "../../../contract/generated/tool-inputs.js"
import type { SubagentInput } from "../../../contract/tool-inputs.ts"
import { defineTool, failed, inOneGo } from "../../../tools/define-tool.ts"
import type { CommandDeps } from "../../../tools/start-command.ts"
import type {
  AgentOrder,
  AgentResult,
  Agents,
  StartedAgent,
  Tool,
  ToolContext,
  ToolResult,
} from "../../../tools/tool.ts"
import { leaveWorktree, makeWorktree } from "./worktree.ts"

export const noAgents = failed("This session can have no agents.")

export function subagentTool(deps: CommandDeps): Tool {
  return defineTool<SubagentInput>({
    name: "subagent",
    description:
      "Gives a task to another agent and waits for its answer, which is the result. The agent works in the same folder, " +
      "knows nothing of this conversation, and has the same tools. Several calls in one step work side by side.",
    class: "keyed",
    check: checks.subagent,
    inputSchema: toolInputSchemas.subagent,
    prepare: async (input, context) => inOneGo(context, () => delegate(input, context, deps)),
  })
}

export function subagentStartTool(deps: CommandDeps): Tool {
  return defineTool<SubagentInput>({
    name: "subagent_start",
    description:
      "Gives a task to another agent and returns its id at once. Look after it with subagent_status, tell it more with " +
      "subagent_steer, and get its answer with subagent_collect.",
    class: "keyed",
    check: checks.subagent_start,
    inputSchema: toolInputSchemas.subagent_start,
    prepare: async (input, context) => inOneGo(context, () => start(input, context, deps)),
  })
}

async function delegate(input: SubagentInput, context: ToolContext, deps: CommandDeps): Promise<ToolResult> {
  const { agents } = context
  if (agents === undefined) return noAgents
  const started = await begin(input, true, agents, context, deps)
  if (started.kind === "no") return failed(started.why)
  const { timeout } = input
  const result = await agents.result(started.id, timeout === undefined ? undefined : timeout * 1000)
  if (result.kind === "still-there")
    return failed(`The agent had no answer after ${timeout} s and was ended.`, { id: started.id })
  return withWork(resultOf(result, started.id), result, started.id, context, deps)
}

async function start(input: SubagentInput, context: ToolContext, deps: CommandDeps): Promise<ToolResult> {
  const { agents } = context
  if (agents === undefined) return noAgents
  const started = await begin(input, false, agents, context, deps)
  if (started.kind === "no") return failed(started.why)
  return { outcome: "done", output: `Agent ${started.id} has begun.`, details: { id: started.id } }
}

async function begin(
  input: SubagentInput,
  isWaitedFor: boolean,
  agents: Agents,
  context: ToolContext,
  deps: CommandDeps,
): Promise<StartedAgent> {
  const order = orderOf(input, isWaitedFor)
  if (input.worktree !== true) return agents.start(order)
  const made = await makeWorktree(deps, agents.ownId, context)
  return made.kind === "no" ? made : agents.start({ ...order, cwd: made.cwd, worktree: made.worktree })
}

/** Work in an agent's own worktree is committed to its branch when the agent has ended. */
export async function withWork(
  told: ToolResult,
  result: AgentResult,
  id: string,
  context: ToolContext,
  deps: CommandDeps,
): Promise<ToolResult> {
  if (result.kind !== "ended" || context.signal.aborted || result.hadWorktree !== true) return told
  const where = await leaveWorktree(deps, id, context)
  return { ...told, output: `${told.output}\n[${where === "" ? "It changed no files." : where}]` }
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
