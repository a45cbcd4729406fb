// The timeline of the log: scrub back and forth, and rewind to a place. The session itself goes on meanwhile.
import { describeRefusal } from "../../../contract/text/describe-refusal.ts"
import type { Recorded } from "../../../contract/events.ts"
import { counted } from "../../../display/format.ts"
import type { Line } from "../../../display/spans.ts"
import type { ScreenControl } from "../../actions/control.ts"
import type { SessionModel } from "../../../clients/session/session-model.ts"
import { keyName, type InputEvent } from "../../terminal/parse-input.ts"
import { transcriptBlocks } from "../../view/transcript.ts"
import type { Overlay, OverlaySpace } from "../overlay.ts"
import { eventsBetween, PastModel } from "../../../clients/session/past-model.ts"
import { rewindPlace, turnStep, type RewindPlace } from "../../../clients/session/places.ts"
import { timelineLines } from "./timeline-lines.ts"

type TimelineScreen = Pick<ScreenControl, "state" | "update" | "start" | "send" | "notify" | "place">

const PAGE = 10

/** The turns that the window has read. */
export function openTimeline(screen: TimelineScreen): void {
  const { session } = screen.state
  if (session === undefined) return
  screen.start(async () => {
    const { port, caller, env } = screen.place
    const opened = await port.open(session.sessionId, caller, env)
    if (opened.kind === "refused") return screen.notify("warning", describeRefusal(opened.refusal))
    const events = await eventsBetween(opened.handle, session.start, session.seq)
    if (events.length === 0) return screen.notify("info", "Nothing has happened in this session yet.")
    screen.update({ overlay: new Timeline(screen, session, events) })
  })
}

class Timeline implements Overlay {
  readonly title = "timeline"
  readonly hint = "← → event   ↑ ↓ turn   home end   r rewind here   esc back"
  readonly #screen: TimelineScreen
  readonly #events: readonly Recorded[]
  readonly #past: PastModel
  #count: number
  #asked: RewindPlace | undefined

  constructor(screen: TimelineScreen, session: SessionModel, events: readonly Recorded[]) {
    this.#screen = screen
    this.#events = events
    this.#past = new PastModel(session, events)
    this.#count = events.length
  }

  readonly lines = (space: OverlaySpace): readonly Line[] => {
    const session = this.#past.at(this.#count)
    const now = this.#events[this.#count - 1]?.at ?? space.now
    const blocks = transcriptBlocks(session, { ...this.#screen.state, session, now }, space.width)
    return timelineLines({ events: this.#events, count: this.#count, question: this.#question() }, blocks, space)
  }

  readonly input = (event: InputEvent): Overlay | undefined => {
    if (this.#asked !== undefined) return this.#answer(this.#asked, event)
    if (event.kind === "wheel") return this.#go(this.#count + Math.sign(event.lines))
    if (event.kind === "text") return this.#text(event.text)
    return event.kind === "key" ? this.#key(keyName(event.key)) : this
  }

  #text(text: string): Overlay | undefined {
    if (text === "q") return undefined
    if (text !== "r") return this
    this.#asked = rewindPlace(this.#events, this.#count)
    if (this.#asked === undefined) this.#screen.notify("info", "There is no place to rewind to before this event.")
    return this
  }

  #key(key: string): Overlay | undefined {
    switch (key) {
      case "escape":
      case "ctrl-c":
      case "ctrl-l":
        return undefined
      case "left":
        return this.#go(this.#count - 1)
      case "right":
        return this.#go(this.#count + 1)
      case "up":
        return this.#go(turnStep(this.#events, this.#count, -1))
      case "down":
        return this.#go(turnStep(this.#events, this.#count, 1))
      case "pageup":
        return this.#go(this.#count - PAGE)
      case "pagedown":
        return this.#go(this.#count + PAGE)
      case "home":
        return this.#go(1)
      case "end":
        return this.#go(this.#events.length)
      default:
        return this
    }
  }

  #go(count: number): Overlay {
    this.#count = Math.max(1, Math.min(this.#events.length, count))
    return this
  }

  #question(): string | undefined {
    if (this.#asked === undefined) return undefined
    const { turns, toSeq } = this.#asked
    return `Rewind to event ${toSeq}? The agent forgets ${counted(turns, "later turn")}; files stay and the log keeps everything. y: rewind, another key: back`
  }

  /** Only `y` rewinds. */
  #answer({ toSeq }: RewindPlace, event: InputEvent): Overlay | undefined {
    if (event.kind === "wheel" || event.kind === "focus") return this
    this.#asked = undefined
    if (event.kind !== "text" || event.text !== "y") return this
    const screen = this.#screen
    screen.start(async () => {
      if (await screen.send({ type: "rewind", toSeq }))
        screen.notify("info", `Went back to event ${toSeq}; files stay.`)
    })
    return undefined
  }
}
