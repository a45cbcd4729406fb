// Locks of all sessions of a home, and who waits for them. Pure.
import type { LockListing } from "../../contract/views/host.ts"
import type { SessionLine } from "../../contract/views/status.ts"
import { shortId, span } from "../format.ts"
import { titleOf } from "../session-rows.ts"
import type { RowText } from "./row-text.ts"

/** Each with the session that has the lock or waits for it. */
export function lockTexts({ held, waiting }: LockListing, lines: readonly SessionLine[]): readonly RowText[] {
  const byId = new Map<string, SessionLine>(lines.map((line) => [line.sessionId, line]))
  const named = (holder: string) => {
    const line = byId.get(holder)
    return line === undefined ? shortId(holder) : titleOf(line)
  }
  const sessionOf = (holder: string) => (byId.has(holder) ? { sessionId: holder } : {})
  return [
    ...held.map(({ lock, scope, holder, heldMs, description, status }): RowText => {
      const notes = [`${status === "active" ? "" : `${status}: `}${description}`].filter((note) => note !== "")
      return { ...sessionOf(holder), left: `● ${lock}  ${scope}`, right: `${span(heldMs)} · ${named(holder)}`, notes }
    }),
    ...waiting.map(({ holder, wants, waitedMs, description }, at): RowText => {
      const wanted = wants.map(({ lock, scope }) => `${lock}  ${scope}`).join(", ")
      const right = `waits ${span(waitedMs)} · ${named(holder)}`
      const notes = description === "" ? [] : [description]
      return { ...sessionOf(holder), left: `${at + 1}. ${wanted}`, right, notes }
    }),
  ]
}
