// Who did what in the session: every stored event that names a person, a client or a policy, newest first.
import { useState } from "preact/hooks"
import type { Recorded } from "../../../src/contract/events.ts"
import { principalName } from "../../../src/contract/rules/approval-answers.ts"
import type { By } from "../../../src/contract/values.ts"
import { describeEvent } from "../../../src/display/describe-event.ts"
import { moment } from "../../../src/display/format.ts"
import { safe } from "../../../src/display/safe-text.ts"
import type { PanelContext } from "./panel.ts"
import { useSessionEvents } from "./session-events.ts"

interface Entry {
  readonly recorded: Recorded
  readonly by: By
}

/** Rows that are drawn at first, and more at a time. */
const ROWS = 100
const MAX_TEXT = 400

export function Audit(context: PanelContext) {
  const read = useSessionEvents(context)
  const [who, setWho] = useState("")
  const [shown, setShown] = useState(ROWS)
  if (read.kind === "problem") return <p role="alert">{read.what}</p>
  if (read.kind === "reading") return <p class="empty">Reading the log …</p>
  const entries = read.events.flatMap(entryOf).toReversed()
  const people = [...new Set(entries.map(({ by }) => nameOf(by)))].toSorted()
  const chosen = who === "" ? entries : entries.filter(({ by }) => nameOf(by) === who)
  return (
    <>
      <label class="field">
        Shown
        <select value={who} onChange={({ currentTarget }) => setWho(currentTarget.value)}>
          <option value="">everyone</option>
          {people.map((name) => (
            <option key={name} value={name}>
              {safe(name)}
            </option>
          ))}
        </select>
      </label>
      {read.isCut && <p class="muted">Older events are in the log: turnhouse log {context.store?.sessionId}</p>}
      {chosen.length === 0 && <p class="empty">Nothing was done by a person or a client.</p>}
      <ol class="audit">
        {chosen.slice(0, shown).map(({ recorded, by }) => (
          <Row key={recorded.seq} recorded={recorded} by={by} />
        ))}
      </ol>
      {chosen.length > shown && (
        <button type="button" class="fold" onClick={() => setShown(shown + ROWS)}>
          {`+${chosen.length - shown} older`}
        </button>
      )}
    </>
  )
}

function Row({ recorded: { seq, at, event }, by }: Entry) {
  return (
    <li>
      <header>
        <code>{event.type}</code>
        <time class="muted" dateTime={new Date(at).toISOString()}>
          {moment(at)}
        </time>
      </header>
      <p>{safe(describeEvent(event)).slice(0, MAX_TEXT)}</p>
      <p class="muted">
        {safe(nameOf(by))} · {safe(by.door)} · event {seq}
      </p>
    </li>
  )
}

function entryOf(recorded: Recorded): readonly Entry[] {
  const { event } = recorded
  return "by" in event && typeof event.by === "object" ? [{ recorded, by: event.by }] : []
}

function nameOf({ principal }: By): string {
  return principalName(principal)
}
