// Sessions that a search has found by what was said and done in them, below those found by their titles.
import { oneLine } from "../../../src/contract/text/text.ts"
import type { FoundSession, FoundSessions } from "../../../src/contract/views/session-lists.ts"
import { ago, counted } from "../../../src/display/format.ts"
import { safe } from "../../../src/display/safe-text.ts"
import { folderName, titleOf } from "../../../src/display/session-rows.ts"
import { serverNow } from "../state/server-clock.ts"
import { routeHash, type Route } from "../state/route.ts"

const MAX_TITLE = 160
const MAX_SNIPPET = 300

export function FoundTexts({ found: { sessions, behind } }: { readonly found: FoundSessions }) {
  if (sessions.length === 0 && behind === 0) return null
  return (
    <section class="found-texts" aria-labelledby="found-in-texts">
      <h2 id="found-in-texts">In the text</h2>
      {behind > 0 && (
        <p class="muted" role="status">
          {counted(behind, "session")} still to read …
        </p>
      )}
      <ul>
        {sessions.map((session) => (
          <FoundText key={session.line.sessionId} session={session} />
        ))}
      </ul>
    </section>
  )
}

function FoundText({ session }: { readonly session: FoundSession }) {
  const { line, matches } = session
  const [best] = matches
  const title = `${folderName(line.status.cwd)} · ${titleOf(line)}`
  return (
    <li class="found-text">
      <a href={routeHash(placeOf(session))}>
        <span class="found-title">{safe(oneLine(title, MAX_TITLE))}</span>
        {best !== undefined && (
          <>
            <span class="found-snippet">{safe(oneLine(best.snippet, MAX_SNIPPET))}</span>
            <span class="muted">
              {best.kind} · {ago(serverNow() - best.at)}
            </span>
          </>
        )}
      </a>
    </li>
  )
}

/** The session at its best place. */
export function placeOf({ line: { sessionId }, matches: [best] }: FoundSession): Route {
  const place = best === undefined ? undefined : { seq: best.seq, isPrompt: best.kind === "prompt" }
  return { sessionId, panel: undefined, place }
}
