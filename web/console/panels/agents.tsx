// The tree of agents as a graph: who started whom, what each does and costs, and who waits for whose lock.
import type { LockListing } from "../../../src/contract/views/host.ts"
import { oneLine } from "../../../src/contract/text/text.ts"
import { agentTree, lockNotes } from "../../../src/display/facts/agents.ts"
import { costText } from "../../../src/display/format.ts"
import { safe } from "../../../src/display/safe-text.ts"
import { rankSigns, stateText } from "../../../src/display/session-rows.ts"
import { routeHash } from "../state/route.ts"
import { useAnswer } from "./answer.ts"
import { graphNodes, type GraphNode, INDENT, ROW_HEIGHT, waitsIn, type Wait } from "./graph-layout.ts"
import type { PanelContext } from "./panel.ts"

const WIDTH = 340
const noLocks: LockListing = { held: [], waiting: [] }
const MAX_TITLE = 60
const noAgents = "This session has no agents. It starts them when a task can be divided."
const noVisibleAgents = "You see no agents of this session. A link for one session does not show them."

export function Agents({ access, port, store }: PanelContext) {
  const sessionId = store?.sessionId ?? ""
  const asked = useAnswer("locks", () => port.query({ type: "locks" }))
  const locks = asked.kind === "answer" ? asked.value : noLocks // a share link may not see locks
  const tree = useAnswer(sessionId, () => port.query({ type: "session-tree", sessionId }))
  if (tree.kind === "problem") return <p role="alert">{tree.what}</p>
  const rows = tree.kind === "answer" ? agentTree(tree.value, sessionId) : []
  if (rows.length === 0) return <p class="empty late">Reading the sessions …</p>
  const nodes = graphNodes(rows)
  const waits = waitsIn(rows, locks)
  const height = rows.length * ROW_HEIGHT
  return (
    <>
      {rows.length === 1 && <p class="muted">{access.roles === undefined ? noAgents : noVisibleAgents}</p>}
      <div class="graph">
        <svg viewBox={`0 0 ${WIDTH} ${height}`} width={WIDTH} height={height} aria-hidden="true">
          {nodes.map((node) => (
            <Edge key={node.row.line.sessionId} node={node} nodes={nodes} />
          ))}
          {waits.map((wait) => (
            <WaitEdge key={`${wait.from} ${wait.to} ${wait.text}`} wait={wait} nodes={nodes} />
          ))}
        </svg>
        <ul>
          {nodes.map((node) => (
            <Node key={node.row.line.sessionId} node={node} locks={locks} current={sessionId} />
          ))}
        </ul>
      </div>
      {waits.map(({ from, to, text }) => (
        <p class="muted" key={`${from} ${to} ${text}`}>
          {titleOf(nodes, from)} waits for {titleOf(nodes, to)}: {safe(text)}
        </p>
      ))}
    </>
  )
}

function Node({
  node: { row },
  locks,
  current,
}: {
  readonly node: GraphNode
  readonly locks: LockListing
  readonly current: string
}) {
  const { line, depth, rank, title } = row
  const { sessionId, status } = line
  const facts = [stateText(line), costText(status.usage.total)].filter((part) => part !== "").join(" · ")
  return (
    <li class={`depth-${Math.min(depth, 6)}`} data-rank={rank}>
      <a href={routeHash({ sessionId, panel: "agents" })} aria-current={sessionId === current ? "true" : undefined}>
        <span class="sign" aria-hidden="true">
          {rankSigns[rank]}
        </span>
        {safe(oneLine(title, MAX_TITLE))}
      </a>
      <p class="muted">{[facts, ...lockNotes(locks, sessionId)].map(safe).join(" · ")}</p>
    </li>
  )
}

/** From the agent that started it. */
function Edge({ node, nodes }: { readonly node: GraphNode; readonly nodes: readonly GraphNode[] }) {
  const parent = node.parent === undefined ? undefined : nodes[node.parent]
  if (parent === undefined) return null
  const [x, top, y] = [parent.x + 8, parent.y + 44, node.y + 12]
  return <path class="edge" d={`M ${x} ${top} V ${y} H ${node.x + 2}`} />
}

/** To the agent that has the lock, at the right. */
function WaitEdge({ wait: { from, to, text }, nodes }: { readonly wait: Wait; readonly nodes: readonly GraphNode[] }) {
  const [start, end] = [nodes[from], nodes[to]]
  if (start === undefined || end === undefined) return null
  const [x, y1, y2] = [WIDTH - INDENT, start.y + 12, end.y + 12]
  return (
    <path class="wait" d={`M ${x} ${y1} C ${WIDTH} ${y1}, ${WIDTH} ${y2}, ${x} ${y2}`}>
      <title>{text}</title>
    </path>
  )
}

function titleOf(nodes: readonly GraphNode[], at: number): string {
  return safe(oneLine(nodes[at]?.row.title ?? "", MAX_TITLE))
}
