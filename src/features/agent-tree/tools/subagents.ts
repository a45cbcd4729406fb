// Tools that give tasks to other agents, follow them and collect their answers. An agent is a session with its own log;
// its calls are judged there. Answers stay in the parent's log and can be collected more than once.
import { checks, toolInputSchemas } from "../../../contract/generated/tool-inputs.js"
import type { SubagentInput } from "../../../contract/tool-inputs.ts"
import { cancelled, defineTool, failed, withoutPreparation, type ToolDefinition } from "../../../tools/define-tool.ts"
import type { CommandDeps } from "../../../tools/start-command.ts"
import type {
  AgentLine,
  AgentResult,
  Agents,
  StartedAgent,
  Tool,
  ToolContext,
  ToolResult,
} from "../../../tools/tool.ts"
import { leaveWorktree, makeWorktree } from "./worktree.ts"

interface AgentTool<Input> extends Pick<ToolDefinition<Input>, "description" | "class" | "check"> {
  readonly name: keyof typeof checks
  readonly run: (agents: Agents, input: Input, context: ToolContext) => Promise<ToolResult>
}

function agentTool<Input>({ name, run, ...definition }: AgentTool<Input>): Tool {
  return defineTool<Input>({
    ...definition,
    name,
    inputSchema: toolInputSchemas[name],
    prepare: async (input, context) =>
      withoutPreparation(context, async () =>
        context.agents === undefined ? failed("This session can have no agents.") : run(context.agents, input, context),
      ),
  })
}

export function subagentTools(deps: CommandDeps): readonly Tool[] {
  return [
    subagentTool(deps),
    agentTool({
      name: "subagent_start",
      description:
        "Gives a task to another agent and returns its id at once. Look after it with subagent_status, tell it more with " +
        "subagent_steer, and get its answer with subagent_collect.",
      class: "keyed",
      check: checks.subagent_start,
      run: async (agents, input, context) => {
        const { timeout } = input
        const order = { isAwaited: false, endAfterMs: timeout === undefined ? undefined : timeout * 1000 }
        const started = await start(agents, input, order, context, deps)
        if (started.kind === "no") return failed(started.reason)
        return { outcome: "done", output: `Agent ${started.id} has begun.`, details: { id: started.id } }
      },
    }),
    agentTool({
      name: "subagent_status",
      description: "Says what one agent or all agents are doing and what they have cost so far.",
      class: "read",
      check: checks.subagent_status,
      run: async (agents, { id }) => {
        const lines = await agents.list(id)
        if (lines.length > 0) return { outcome: "done", output: lines.map(lineOf).join("\n") }
        return id === undefined
          ? { outcome: "done", output: "There are no agents." }
          : resultOf({ kind: "unknown" }, id)
      },
    }),
    agentTool({
      name: "subagent_steer",
      description: "Tells a working agent something; it reads it before its next step.",
      class: "keyed",
      check: checks.subagent_steer,
      run: async (agents, { id, message }) => {
        const refusal = await agents.steer(id, message)
        return refusal === undefined ? { outcome: "done", output: `Agent ${id} got the message.` } : failed(refusal)
      },
    }),
    agentTool({
      name: "subagent_collect",
      description: "Waits for the answer of an agent and returns it.",
      class: "read",
      check: checks.subagent_collect,
      run: async (agents, { id, timeout }, context) => {
        const result = await agents.result(id, timeout === undefined ? undefined : timeout * 1000)
        if (context.signal.aborted) return cancelled // the agent may still be running
        return withWorktreeResult(result, id, context, deps)
      },
    }),
  ]
}

export function subagentTool(deps: CommandDeps): Tool {
  return agentTool({
    name: "subagent",
    description:
      "Gives a task to another agent and waits for its answer, which is the result. The agent works in the same folder, " +
      "knows nothing of this conversation, and has the same tools. Several calls in one step work side by side.",
    class: "keyed",
    check: checks.subagent,
    run: async (agents, input, context) => {
      const { timeout } = input
      const started = await start(agents, input, { isAwaited: true, endAfterMs: undefined }, context, deps)
      if (started.kind === "no") return failed(started.reason)
      const { id } = started
      const result = await agents.result(id, timeout === undefined ? undefined : timeout * 1000)
      if (result.kind === "still-there")
        return failed(`The agent had no answer after ${timeout} s and was ended.`, { id })
      return withWorktreeResult(result, id, context, deps)
    },
  })
}

async function start(
  agents: Agents,
  { task, agent, description, system_prompt: system, model, thinking, worktree: isIsolated }: SubagentInput,
  mode: { readonly isAwaited: boolean; readonly endAfterMs: number | undefined },
  context: ToolContext,
  deps: CommandDeps,
): Promise<StartedAgent> {
  const role = agent ?? (description === "" ? undefined : description)
  const order = { task, role, system, model, thinking, ...mode }
  if (isIsolated !== true) return agents.start(order)
  const worktree = await makeWorktree(deps, agents.ownId, context)
  return worktree.kind === "no" ? worktree : agents.start({ ...order, cwd: worktree.cwd, worktree: worktree.worktree })
}

/** Work in an agent's own worktree is committed to its branch when the agent has ended. */
async function withWorktreeResult(
  result: AgentResult,
  id: string,
  context: ToolContext,
  deps: CommandDeps,
): Promise<ToolResult> {
  const answer = resultOf(result, id)
  if (result.kind !== "ended" || context.signal.aborted || result.hadWorktree !== true) return answer
  const worktreeText = await leaveWorktree(deps, id, context)
  return { ...answer, output: `${answer.output}\n[${worktreeText === "" ? "It changed no files." : worktreeText}]` }
}

function lineOf({ id, role, state, activity, costUsd }: AgentLine): string {
  const detail = activity === "" || activity === state ? "" : `, ${activity}`
  return `${id}${role === undefined ? "" : ` (${role})`}: ${state}${detail}, $${costUsd.toFixed(4)}`
}

function resultOf(result: AgentResult, id: string): ToolResult {
  const details = { id }
  switch (result.kind) {
    case "ended":
      if (result.outcome === "done")
        return { outcome: "done", output: result.text || "The agent ended without an answer.", details }
      return failed(`The agent ${result.outcome === "failed" ? "failed" : "was stopped"}: ${result.text}`, details)
    case "still-there":
      return { outcome: "done", output: `Agent ${id} still works.`, details }
    case "left":
      return failed(`Agent ${id} was detached and continues as an independent session.`, details)
    case "unknown":
      return failed(`This session has no agent ${id}.`, details)
  }
}
