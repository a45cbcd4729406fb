// What the terminal says about other sessions when it opens.
import type { SessionId } from "../../contract/ids.ts"
import { oneLine } from "../../contract/text/text.ts"
import type { SessionLine } from "../../contract/views/status.ts"
import { counted } from "../../display/format.ts"

const MAX_TITLE = 40

/** What waits or runs besides the session of this window, in one line. */
export function otherSessions(lines: readonly SessionLine[], own: SessionId | undefined): string | undefined {
  const roots = lines.filter(({ sessionId, status }) => status.parentId === undefined && sessionId !== own)
  const waiting = roots.filter(({ activity, status }) => activity === "asking" || status.childApprovals > 0)
  const working = roots.filter(({ activity }) => activity === "busy")
  const parts = [
    ...(waiting.length === 0 ? [] : [`${counted(waiting.length, "session")} waiting for approval: ${titles(waiting)}`]),
    ...(working.length === 0 ? [] : [`${counted(working.length, "session")} working: ${titles(working)}`]),
  ]
  return parts.length === 0 ? undefined : `${parts.join(" · ")} · ctrl-p switches`
}

function titles(lines: readonly SessionLine[]): string {
  const [first, ...others] = lines.map(({ status }) => oneLine(status.name ?? status.title ?? "", MAX_TITLE))
  return `${first ?? ""}${others.length === 0 ? "" : ` and ${others.length} more`}`
}
