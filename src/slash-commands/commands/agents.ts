// Other agents: those of this home, and children of this session.
import { shortened } from "../../contract/text/text.ts"
import { agentActivity, agentForest, agentTreeText, type AgentLine } from "../../features/agent-tree/tree.ts"
import { lengthError, parseOptions, usageError } from "../arguments.ts"
import type { SlashCall, SlashGroup, SlashStep } from "../command.ts"
import { done, list, query, send, sendTo } from "../steps.ts"

export const agentCommands: SlashGroup = {
  title: "Agents",
  commands: [
    { name: "agents", help: "list open agents", run: listAgents },
    { name: "agent:tree", help: "show open agents as a tree", run: showTree },
    { name: "tree", help: "same as /agent:tree", run: showTree },
    {
      name: "spawn",
      usage: "[--model M] [--reason R | words]",
      help: "start a child agent that waits for a prompt",
      run: spawn,
    },
    {
      name: "hibernate",
      usage: "[all]",
      help: "hibernate this agent's tree, or all agents",
      maxArgs: 1,
      run: hibernate,
    },
    { name: "resume:agents", help: "wake all hibernated agents", maxArgs: 0, run: resume },
  ],
}

const MAX_SHOWN_REASON = 80

function listAgents({ view }: SlashCall): SlashStep {
  return queryAgents((agents) => {
    const lines = agents.filter(isOpen).map((agent) => agentLine(agent, agent.sessionId === view.sessionId))
    return list("agents_listed", lines, "No active agents")
  })
}

function agentLine({ sessionId, status }: AgentLine, isCurrent: boolean): string {
  const about = status.spawnReason ?? status.name ?? status.title
  const note = about === undefined ? "" : ` (${shortened(about.replaceAll(/\s+/g, " "), MAX_SHOWN_REASON)})`
  return `${isCurrent ? "* " : "  "}${sessionId} [${status.model}] ${agentActivity(status)}${note}`
}

function showTree({ view }: SlashCall): SlashStep {
  return queryAgents((agents) =>
    done("agent_tree_shown", agentTreeText(agentForest(agents.filter(isOpen)), view.sessionId)),
  )
}

/** Words that belong to no option are the reason, and so are all words after `--reason`. */
function spawn(call: SlashCall): SlashStep {
  const { positionals, values } = parseOptions(call.args, ["--model"])
  const [model, ...moreModels] = values("--model")
  const isNamed = positionals[0] === "--reason"
  const reason = (isNamed ? positionals.slice(1) : positionals).join(" ").trim() || undefined
  if (model === "" || model?.startsWith("--") || moreModels.length > 0) return usageError(call)
  if (positionals.lastIndexOf("--reason") > 0 || (isNamed && reason === undefined)) return usageError(call)
  const childId = call.options.newSessionId()
  return (
    lengthError("The model", model) ??
    lengthError("The reason", reason) ??
    send({ type: "spawn", childId, model, reason }, done("agent_spawned", childId))
  )
}

function hibernate(call: SlashCall): SlashStep {
  const [idOrPrefix] = call.args
  if (idOrPrefix === undefined) return send({ type: "hibernate" }, done("hibernated", call.view.sessionId))
  if (idOrPrefix !== "all") return usageError(call)
  return queryAgents((agents) => {
    const sessionIds = rootsOf(agents.filter((agent) => isOpen(agent) && !agent.status.hibernated))
    const next = done("hibernated", sessionIds.join("\n"))
    return sendTo(sessionIds, { type: "hibernate" }, next)
  })
}

function resume(): SlashStep {
  return queryAgents((agents) => {
    const sessionIds = rootsOf(agents.filter(({ status }) => status.hibernated && status.life === "open"))
    const next = list("agents_resumed", sessionIds, "No agent is hibernated")
    return sendTo(sessionIds, { type: "wake" }, next)
  })
}

/** Hibernating or waking a root does the same to all its descendants. */
function rootsOf(agents: readonly AgentLine[]) {
  return agentForest(agents).map(({ sessionId }) => sessionId)
}

function isOpen({ live, status }: AgentLine): boolean {
  return live && status.life === "open"
}

function queryAgents(next: (agents: readonly AgentLine[]) => SlashStep): SlashStep {
  return query({ type: "sessions" }, (lines) =>
    next(lines.map(({ sessionId, status, host }) => ({ sessionId, status, live: host !== null }))),
  )
}
