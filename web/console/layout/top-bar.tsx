// The first line of the page: where it is, the state of the connection, and the tabs of the drawer.
import { useEffect, useState } from "preact/hooks"
import { timeText } from "../../../src/display/time-text.ts"
import type { PanelContext } from "../panels/panel.ts"
import { useConsole } from "../state/console.ts"
import { signOut } from "../state/credentials.ts"
import { routeHash } from "../state/route.ts"
import { Tabs } from "./tabs.tsx"

interface TopBarProps {
  readonly context: PanelContext
  /** Behind a drawer that covers the page. */
  readonly isCovered: boolean
}

export function TopBar({ context, isCovered }: TopBarProps) {
  const { connection } = useConsole()
  const [problem, setProblem] = useState<string>()
  const leave = async () => {
    const found = await signOut()
    setProblem(found)
    if (found === undefined) connection.restart()
  }
  return (
    <header class="top-bar" inert={isCovered}>
      <a class="brand" href={routeHash({ sessionId: undefined, panel: undefined })}>
        turnhouse
      </a>
      <ConnectionNote />
      <Tabs context={context} label="Panels" />
      {problem !== undefined && <p role="alert">{problem}</p>}
      <button type="button" onClick={() => void leave()}>
        Sign out
      </button>
    </header>
  )
}

const SHOWN_MS = 6000

/** Calm: an interruption loses nothing. */
function ConnectionNote() {
  const { connection } = useConsole()
  const since = connection.lostSince.value
  const returned = connection.returned.value
  const [shown, setShown] = useState(returned)
  useEffect(() => {
    setShown(returned)
    if (returned === undefined) return undefined
    const timer = setTimeout(() => setShown(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [returned])
  const text =
    since !== undefined
      ? "reconnecting …"
      : shown === undefined
        ? ""
        : `reconnected in ${timeText(shown.ms)} · nothing lost`
  return (
    <span class="connection-note" role="status">
      {text}
    </span>
  )
}
