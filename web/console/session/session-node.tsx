// The node of a cluster on which the session runs, and for the owner a menu that moves it to another one. Without a cluster
// there is nothing to see.
import { useEffect, useRef, useState } from "preact/hooks"
import { describeRefusal } from "../../../src/contract/text/describe-refusal.ts"
import type { NodeReport } from "../../../src/contract/views/nodes.ts"
import type { SessionLine } from "../../../src/contract/views/status.ts"
import { oneLine } from "../../../src/contract/text/text.ts"
import { counted } from "../../../src/display/format.ts"
import { safe } from "../../../src/display/safe-text.ts"
import { useQuery } from "../state/use-query.ts"
import type { SessionViewProps } from "./props.ts"

const SHOWN_MS = 6000
const MAX_NAME = 40

export function SessionNode({ store, context }: SessionViewProps) {
  const [moves, setMoves] = useState(0)
  const line = useLine({ store, context }, moves)
  const node = useLastKnown(line?.host?.node)
  const note = useMovedNote(node)
  if (node === undefined || line === undefined) return null
  const isOwner = context.access.roles === undefined
  return (
    <div class="session-node">
      <span class="muted moved-note" role="status">
        {note}
      </span>
      {isOwner ? (
        <NodeMenu node={node} line={line} context={context} onMoved={() => setMoves((count) => count + 1)} />
      ) : (
        <span class="muted">on {shown(node)}</span>
      )}
    </div>
  )
}

/** Read again when a session of the list has changed, when the connection is back, and after a move. */
function useLine({ store, context }: SessionViewProps, moves: number): SessionLine | undefined {
  const { sessionId } = store
  const version = `${context.list.page.value?.version} ${store.link.value.kind} ${moves}`
  return useQuery(context.port, { type: "session-lines", sessionIds: [sessionId] }, version)?.[0]
}

/** Between two hosts a session has none for a moment. */
function useLastKnown(node: string | undefined): string | undefined {
  const known = useRef(node)
  if (node !== undefined) known.current = node
  return known.current
}

/** For a few seconds after it has changed. */
function useMovedNote(node: string | undefined): string {
  const before = useRef(node)
  const [note, setNote] = useState("")
  useEffect(() => {
    const from = before.current
    before.current = node
    if (from === undefined || node === undefined || from === node) return undefined
    setNote(`moved from ${shown(from)} to ${shown(node)} · nothing lost`)
    const timer = setTimeout(() => setNote(""), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [node])
  return note
}

interface NodeMenuProps extends Pick<SessionViewProps, "context"> {
  readonly node: string
  readonly line: SessionLine
  readonly onMoved: () => void
}

function NodeMenu(props: NodeMenuProps) {
  const [isOpen, setOpen] = useState(false)
  const summary = useRef<HTMLElement>(null)
  const close = () => {
    setOpen(false)
    summary.current?.focus()
  }
  return (
    <details
      class="node-menu"
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      onKeyDown={(event) => event.key === "Escape" && close()}
    >
      <summary ref={summary}>on {shown(props.node)}</summary>
      {isOpen && <Choices {...props} close={close} />}
    </details>
  )
}

function Choices({ node, line, context, onMoved, close }: NodeMenuProps & { readonly close: () => void }) {
  const report = useQuery(context.port, { type: "nodes" })
  const [target, setTarget] = useState<string>()
  const [problem, setProblem] = useState<string>()
  if (report === undefined) return <div class="node-choices muted">Looking for nodes …</div>
  const move = async (name: string) => {
    setTarget(name)
    setProblem(undefined)
    const answer = await context.port.perform({ type: "move-session", sessionId: line.sessionId, node: name })
    setTarget(undefined)
    if (answer.kind === "refused") return setProblem(describeRefusal(answer.refusal))
    onMoved()
    close()
  }
  const able = report.nodes.filter((each) => each.name !== node && canRun(each, line.place))
  return (
    <div class="node-choices">
      {able.length === 0 && <p class="muted">No other node can run this session.</p>}
      {able.map(({ name, sessions }) => (
        <button key={name} type="button" disabled={target !== undefined} onClick={() => void move(name)}>
          Move to {shown(name)} <span class="muted">{counted(sessions, "session")}</span>
        </button>
      ))}
      <p class="muted" role="status">
        {target === undefined ? "" : `Moving to ${shown(target)} … a step that runs may be completed first.`}
      </p>
      {problem !== undefined && <p role="alert">{problem}</p>}
    </div>
  )
}

function canRun({ state, takesSessions, labels }: NodeReport, place: string | undefined): boolean {
  return state === "live" && takesSessions && (place === undefined || labels.includes(place))
}

function shown(name: string): string {
  return safe(oneLine(name, MAX_NAME))
}
