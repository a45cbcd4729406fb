// Other agents: those of this house, and children of this one.
import type { AgentLine } from "../../projection/agent-tree.ts"
import { agentActivity, agentForest, agentTreeText } from "../../projection/agent-tree.ts"
import { shortened } from "../../protocols/ipc/view/approval-text.ts"
import { agentLines } from "../query-answers.ts"
import { tooLong, wrongUsage } from "../arguments.ts"
import { done, send, type SlashCall, type SlashGroup, type SlashStep } from "../command.ts"

export const agentCommands: SlashGroup = {
  title: "Agents",
  commands: [
    { name: "agents", usage: "", help: "lists the agents that are open", run: list },
    { name: "agent:tree", usage: "", help: "shows them as a tree", run: tree },
    { name: "tree", usage: "", help: "the same", run: tree },
    {
      name: "spawn",
      usage: "[--model M] [--reason R | words]",
      help: "makes a child agent that waits for words of its own",
      run: spawn,
    },
    {
      name: "hibernate",
      usage: "[all]",
      help: "puts the tree of this agent to rest, or all agents",
      run: hibernate,
    },
    { name: "resume:agents", usage: "", help: "wakes all agents that rest", run: resume },
  ],
}

const reasonLength = 80

function list({ view }: SlashCall): SlashStep {
  return ask((agents) => {
    const lines = agents.filter(isOpen).map((agent) => line(agent, agent.sessionId === view.sessionId))
    return done("agents_listed", lines.length === 0 ? "No active agents" : lines.join("\n"))
  })
}

function line({ sessionId, status }: AgentLine, isCurrent: boolean): string {
  const about = status.spawnReason ?? status.name ?? status.title
  const words = about === undefined ? "" : ` (${shortened(about.replaceAll(/\s+/g, " "), reasonLength)})`
  return `${isCurrent ? "* " : "  "}${sessionId} [${status.model}] ${agentActivity(status)}${words}`
}

function tree({ view }: SlashCall): SlashStep {
  return ask((agents) => done("agent_tree_shown", agentTreeText(agentForest(agents.filter(isOpen)), view.sessionId)))
}

function spawn(call: SlashCall): SlashStep {
  const wish = readWish(call.args)
  if (wish === undefined) return wrongUsage(call)
  const { model, reason } = wish
  const childId = call.options.newSessionId()
  const given = { ...(model === undefined ? {} : { model }), ...(reason === undefined ? {} : { reason }) }
  return (
    tooLong("The model", model ?? "") ??
    tooLong("The reason", reason ?? "") ??
    send([{ type: "spawn", childId, ...given }], done("agent_spawned", childId))
  )
}

interface SpawnWish {
  readonly model: string | undefined
  readonly reason: string | undefined
}

/** What is no option is the reason, and so are all words after `--reason`. */
function readWish(args: readonly string[]): SpawnWish | undefined {
  const at = args.indexOf("--model")
  const model = at < 0 ? undefined : args[at + 1]
  if (at >= 0 && (model === undefined || model === "" || model.startsWith("--"))) return undefined
  const rest = at < 0 ? args : args.toSpliced(at, 2)
  if (rest.includes("--model") || rest.lastIndexOf("--reason") > 0) return undefined
  const isNamed = rest[0] === "--reason"
  const reason = (isNamed ? rest.slice(1) : rest).join(" ").trim()
  return isNamed && reason === "" ? undefined : { model, reason: reason || undefined }
}

function hibernate(call: SlashCall): SlashStep {
  const [word, ...more] = call.args
  if (more.length > 0 || (word !== undefined && word !== "all")) return wrongUsage(call)
  if (word === undefined) return send([{ type: "hibernate" }], done("hibernated", call.view.sessionId))
  return ask((agents) => {
    const sessionIds = rootsOf(agents.filter((agent) => isOpen(agent) && !agent.status.hibernated))
    return {
      kind: "tell",
      sessionIds,
      command: { type: "hibernate" },
      answer: done("hibernated", sessionIds.join("\n")),
    }
  })
}

function resume(call: SlashCall): SlashStep {
  if (call.args.length > 0) return wrongUsage(call)
  return ask((agents) => {
    const sessionIds = rootsOf(agents.filter(({ status }) => status.hibernated && status.life === "open"))
    if (sessionIds.length === 0) return done("agents_resumed", "No agent rests")
    return {
      kind: "tell",
      sessionIds,
      command: { type: "wake" },
      answer: done("agents_resumed", sessionIds.join("\n")),
    }
  })
}

/** Whoever puts a root to rest, or wakes it, does so with all that descend from it. */
function rootsOf(agents: readonly AgentLine[]) {
  return agentForest(agents).map(({ sessionId }) => sessionId)
}

function isOpen({ live, status }: AgentLine): boolean {
  return live && status.life === "open"
}

function ask(then: (agents: readonly AgentLine[]) => SlashStep): SlashStep {
  return { kind: "ask", query: { type: "sessions" }, next: (value) => then(agentLines(value)) }
}
