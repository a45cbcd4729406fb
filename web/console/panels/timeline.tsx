// The log as a slider: the session as it was after any event, by the same fold that shows it live.
import { signal } from "@preact/signals"
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import type { Recorded } from "../../../src/contract/events.ts"
import { PastModel } from "../../../src/clients/session/past-model.ts"
import { rewindPlace, turnStep } from "../../../src/clients/session/places.ts"
import type { SessionModel } from "../../../src/clients/session/session-model.ts"
import { describeRefusal } from "../../../src/contract/text/describe-refusal.ts"
import { counted, moment } from "../../../src/display/format.ts"
import { Item } from "../session/items/item.tsx"
import type { SessionStore } from "../state/session-store.ts"
import type { PanelContext } from "./panel.ts"
import { useSessionEvents } from "./session-events.ts"

/** Items of the past that are drawn, up to the chosen event. */
const ITEMS = 40

export function Timeline(context: PanelContext) {
  const read = useSessionEvents(context)
  const { store, session } = context
  const model = session.value
  if (read.kind === "problem") return <p role="alert">{read.what}</p>
  if (read.kind === "reading" || model === undefined || store === undefined)
    return <p class="empty">Reading the log …</p>
  if (read.events.length === 0) return <p class="empty">Nothing has happened in this session yet.</p>
  return <Replay {...context} model={model} store={store} events={read.events} isCut={read.isCut} />
}

interface ReplayProps extends PanelContext {
  readonly model: SessionModel
  readonly store: SessionStore
  readonly events: readonly Recorded[]
  readonly isCut: boolean
}

function Replay({ access, may, model, store, events, isCut }: ReplayProps) {
  const [chosen, setChosen] = useState<number>()
  const past = useMemo(() => new PastModel(model, events), [events])
  const count = Math.min(chosen ?? events.length, events.length)
  const shown = past.at(count)
  const recorded = events[count - 1]
  const pastElement = useRef<HTMLDivElement>(null)
  // What the chosen event changed is at the end. New events do not scroll: the user may be reading.
  useLayoutEffect(() => pastElement.current?.scrollIntoView({ block: "end" }), [chosen])
  return (
    <>
      <div class="replay">
        <input
          key={events.length} // the position is set after the end
          type="range"
          class="slider"
          min={1}
          max={events.length}
          value={count}
          aria-label="Event"
          aria-valuetext={recorded === undefined ? "" : `event ${recorded.seq}, ${recorded.event.type}`}
          onInput={({ currentTarget }) => setChosen(currentTarget.valueAsNumber)}
        />
        <p class="steps">
          <button type="button" onClick={() => setChosen(turnStep(events, count, -1))}>
            ← turn
          </button>
          <button type="button" onClick={() => setChosen(Math.max(1, count - 1))}>
            ← event
          </button>
          <button type="button" onClick={() => setChosen(Math.min(events.length, count + 1))}>
            event →
          </button>
          <button type="button" onClick={() => setChosen(turnStep(events, count, 1))}>
            turn →
          </button>
        </p>
        {recorded !== undefined && (
          <p class="muted">
            event {recorded.seq} of {events.at(-1)?.seq} · {moment(recorded.at)} · <code>{recorded.event.type}</code>
          </p>
        )}
      </div>
      {isCut && <p class="muted">The timeline begins at the oldest event that it has read.</p>}
      {may("drive") && <Rewind events={events} count={count} store={store} />}
      <div class="past" ref={pastElement} aria-label="The session at this event">
        {shown.transcript.items.slice(-ITEMS).map((item) => (
          <div class="item" key={item.seq}>
            <Item item={signal(item)} store={store} user={access.caller.principal} />
          </div>
        ))}
      </div>
    </>
  )
}

interface RewindProps {
  readonly events: readonly Recorded[]
  readonly count: number
  readonly store: SessionStore
}

/** Asks before it rewinds, and says how that ended. */
function Rewind({ events, count, store }: RewindProps) {
  const [isAsking, setAsking] = useState(false)
  const [outcome, setOutcome] = useState("")
  const place = rewindPlace(events, count)
  if (place === undefined || place.turns === 0) return <p class="muted">{outcome}</p>
  const rewind = async () => {
    setAsking(false)
    const sent = await store.send({ type: "rewind", toSeq: place.toSeq })
    setOutcome(
      sent.kind === "accepted" ? `Went back to event ${place.toSeq}; files stay.` : describeRefusal(sent.refusal),
    )
  }
  if (!isAsking)
    return (
      <p>
        <button type="button" onClick={() => setAsking(true)}>
          Rewind to here …
        </button>{" "}
        <span class="muted" role="status">
          {outcome}
        </span>
      </p>
    )
  return (
    <p role="alertdialog" aria-label="Rewind">
      The agent forgets {counted(place.turns, "later turn")}; files stay and the log keeps everything.{" "}
      <button type="button" class="danger" onClick={() => void rewind()}>
        Rewind
      </button>{" "}
      <button type="button" onClick={() => setAsking(false)}>
        Keep
      </button>
    </p>
  )
}
