// `turnhouse nodes`: lists the nodes of the cluster from the directory of the log. Starts no host.
import { listNodes } from "../../../app/cluster/list-nodes.ts"
import { withLogAndContext } from "../../../app/host/open-log.ts"
import { printNotice } from "../../../app/terminal.ts"
import { oneLine } from "../../../contract/text/text.ts"
import type { NodeReport, NodesReport, WaitingSessions } from "../../../contract/views/nodes.ts"
import { counted } from "../../../display/format.ts"
import type { Args } from "../../command.ts"
import { printResult, table, type Columns } from "../../output.ts"

export function run(args: Args): Promise<number> {
  return withLogAndContext(async (log, context) => {
    const report = await listNodes(log, context)
    if (!report.isCluster) printNotice("this home is not part of a cluster: its log is in SQLite")
    return printResult(args, report, () => described(report))
  })
}

function described({ isCluster, nodes, waiting }: NodesReport): string {
  if (nodes.length === 0) return "No node is running. 'turnhouse serve' starts one.\n"
  return [table(nodes, columnsFor(isCluster), ["SESSIONS", "TURNS"]), ...waiting.map(waitingText)].join("")
}

function columnsFor(isCluster: boolean): Columns<NodeReport> {
  return {
    NODE: ({ name, isThis }) => `${oneLine(name, 64)}${isThis && isCluster ? " (this)" : ""}`,
    STATE: ({ state }) => state,
    ROLES: rolesOf,
    VERSION: ({ release }) => oneLine(release, 32),
    SESSIONS: ({ sessions }) => String(sessions),
    TURNS: ({ turns }) => String(turns),
    LABELS: ({ name, labels }) => oneLine(labels.filter((label) => label !== name).join(", "), 60) || "-",
  }
}

function rolesOf({ hosts }: NodeReport): string {
  const roles = new Set(hosts.map(({ role, state }) => (state === "live" ? role : `${role} (${state})`)))
  return oneLine([...roles].join(", "), 60) || "-"
}

function waitingText({ label, sessions, turns, sessionIds }: WaitingSessions): string {
  const [first = ""] = sessionIds
  const example = sessions === 1 ? first : `such as ${first}`
  return `${counted(sessions, "session")}, ${turns} in a turn, waiting for a node with the label '${oneLine(label, 64)}': ${example}\n`
}
