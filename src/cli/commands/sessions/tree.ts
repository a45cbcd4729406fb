// `turnhouse tree [ID]`: shows agents and their sub-agents: without ID the trees with a live agent, with ID the whole tree
// of that session. Reads only.
import type { SessionId } from "../../../contract/ids.ts"
import { agentActivity, agentForest, agentTreeText, type AgentNode } from "../../../features/agent-tree/tree.ts"
import type { Args } from "../../command.ts"
import { withLog } from "../../../app/host/open-log.ts"
import { rootOf } from "../../../app/sessions/session-trees.ts"
import { listSessions, sessionNamed, titleOf, type ListedSession } from "../../../app/sessions/sessions.ts"
import { oneLine } from "../../../contract/text/text.ts"
import { printResult } from "../../output.ts"

const modelWidth = 60
const reasonWidth = 80

export function run(args: Args): Promise<number> {
  const [idOrName] = args.positionals
  return withLog(async (log) => {
    const sessions = await listSessions(log)
    const current = idOrName === undefined ? undefined : (await sessionNamed(log, idOrName)).sessionId
    const forest = current === undefined ? living(sessions) : treeOf(sessions, current)
    const hosts = new Map(sessions.map(({ row }) => [row.sessionId, row.owner]))
    return printResult(
      args,
      forest.map((node) => asJson(node, hosts)),
      () => `${agentTreeText(forest, current)}\n`,
    )
  })
}

/** A suspended agent is alive. */
function living(sessions: readonly ListedSession[]): readonly AgentNode[] {
  const lives = (node: AgentNode): boolean => node.live || node.status.hibernated || node.children.some(lives)
  return forestOf(sessions.filter(({ status }) => status.life !== "ended")).filter(lives)
}

function treeOf(sessions: readonly ListedSession[], id: SessionId): readonly AgentNode[] {
  const rootId = rootOf(sessions, id)
  return forestOf(sessions).filter(({ sessionId }) => sessionId === rootId)
}

/** Names from models and other programs must not break the tree's layout. */
function forestOf(sessions: readonly ListedSession[]): readonly AgentNode[] {
  return agentForest(
    sessions.map(({ row, status }) => ({
      sessionId: row.sessionId,
      live: row.owner !== undefined,
      status: {
        ...status,
        model: oneLine(status.model, modelWidth),
        spawnReason: status.spawnReason === undefined ? undefined : oneLine(status.spawnReason, reasonWidth),
      },
    })),
  )
}

interface TreeJson {
  readonly [member: string]: unknown
  readonly children: readonly TreeJson[]
}

function asJson(node: AgentNode, hosts: ReadonlyMap<SessionId, ListedSession["row"]["owner"]>): TreeJson {
  const { sessionId: id, status, live, children } = node
  const { model, cwd, parentId, spawnReason: reason, openApprovals, usage } = status
  return {
    id,
    title: titleOf(status),
    activity: agentActivity(status),
    live,
    host: hosts.get(id),
    model,
    cwd,
    parentId,
    reason,
    openApprovals,
    usd: usage.total.usd,
    children: children.map((child) => asJson(child, hosts)),
  }
}
