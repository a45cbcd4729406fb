// Locks of all sessions of the home, and who waits for them.
import { lockTexts } from "../../../src/display/facts/locks.ts"
import type { LockListing } from "../../../src/contract/views/host.ts"
import { useQuery } from "../state/use-query.ts"
import { useAnswer } from "./answer.ts"
import type { PanelContext } from "./panel.ts"
import { Rows } from "./rows.tsx"

/** Sessions whose titles are read. */
const MAX_HOLDERS = 200
const MAX_ID = 100

export function Locks({ port }: PanelContext) {
  const asked = useAnswer("locks", () => port.query({ type: "locks" }))
  const sessionIds = asked.kind === "answer" ? holders(asked.value) : []
  const lines = useQuery(port, sessionIds.length === 0 ? undefined : { type: "session-lines", sessionIds })
  if (asked.kind === "asking") return <p class="empty late">Reading the locks …</p>
  if (asked.kind === "problem") return <p role="alert">{asked.what}</p>
  const rows = lockTexts(asked.value, lines ?? [])
  if (rows.length === 0)
    return (
      <p class="empty">No locks are held. Agents take them for git, builds, tests and files that others may change.</p>
    )
  return <Rows rows={rows} panel="locks" />
}

/** Sessions, and programs that share the locks. */
function holders({ held, waiting }: LockListing): string[] {
  return [...new Set([...held, ...waiting].map(({ holder }) => holder))].filter(isShort).slice(0, MAX_HOLDERS)
}

function isShort(holder: string): boolean {
  return holder.length <= MAX_ID
}
