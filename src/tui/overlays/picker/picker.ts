// The picker: chooses a session. Its state is live while it is open; what is typed filters titles and folders at once and
// texts after a moment.
import { describeRefusal } from "../../../contract/text/describe-refusal.ts"
import type { SessionId } from "../../../contract/ids.ts"
import type { Line } from "../../../display/spans.ts"
import type { ScreenControl } from "../../actions/control.ts"
import { keyName, type InputEvent } from "../../terminal/parse-input.ts"
import { showFresh } from "../keep-fresh.ts"
import type { Overlay, OverlaySpace } from "../overlay.ts"
import { pickerLines } from "./picker-lines.ts"
import { matchingRows, restingRows, sessionRows, type SessionRow } from "../../../display/session-rows.ts"

type PickerScreen = Pick<ScreenControl, "state" | "update" | "start" | "notify" | "openSession" | "place">

/** Milliseconds without typing before texts are searched. */
const SEARCH_MS = 150
const MIN_SEARCH = 2
const MAX_QUERY = 200
const PAGE = 10

export function openPicker(screen: PickerScreen): void {
  const picker = new Picker(screen)
  showFresh(screen, picker, () => picker.load())
}

class Picker implements Overlay {
  readonly title = "sessions"
  readonly hint = "enter open   esc back   ↑ ↓ choose   type to search"
  readonly #screen: PickerScreen
  #rows: readonly SessionRow[] = []
  #shown: readonly SessionRow[] = []
  #query = ""
  #texts: ReadonlyMap<string, string> = new Map()
  #selected = 0
  #search: NodeJS.Timeout | undefined
  #isSearching = false

  constructor(screen: PickerScreen) {
    this.#screen = screen
  }

  async load(): Promise<void> {
    const answered = await this.#screen.place.port.query({ type: "sessions" })
    if (answered.kind === "refused") return this.#screen.notify("warning", describeRefusal(answered.refusal))
    this.#rows = sessionRows(answered.value)
    this.#filter(this.#shown[this.#selected]?.line.sessionId)
  }

  readonly lines = (space: OverlaySpace): readonly Line[] =>
    pickerLines(
      {
        query: this.#query,
        rows: this.#shown,
        selected: this.#selected,
        total: this.#rows.length,
        isSearching: this.#isSearching,
      },
      space,
    )

  readonly input = (event: InputEvent): Overlay | undefined => {
    if (event.kind === "text" || event.kind === "paste")
      return this.#ask(`${this.#query}${event.text.replaceAll(/\s+/g, " ")}`.slice(0, MAX_QUERY))
    if (event.kind === "wheel") return this.#move(Math.sign(event.lines))
    return event.kind === "key" ? this.#key(keyName(event.key)) : this
  }

  #key(key: string): Overlay | undefined {
    switch (key) {
      case "escape":
      case "ctrl-c":
      case "ctrl-p":
        return undefined
      case "return":
        return this.#open()
      case "up":
        return this.#move(-1)
      case "down":
        return this.#move(1)
      case "pageup":
        return this.#move(-PAGE)
      case "pagedown":
        return this.#move(PAGE)
      case "backspace":
        return this.#ask(this.#query.slice(0, -1).toWellFormed())
      case "ctrl-u":
        return this.#ask("")
      default:
        return this
    }
  }

  #open(): Overlay | undefined {
    const row = this.#shown[this.#selected]
    if (row === undefined) return this
    this.#screen.start(() => this.#screen.openSession(row.line.sessionId))
    return undefined
  }

  #move(by: number): Overlay {
    this.#selected = Math.max(0, Math.min(this.#shown.length - 1, this.#selected + by))
    return this
  }

  #ask(query: string): Overlay {
    this.#query = query
    this.#texts = new Map()
    this.#filter(undefined)
    clearTimeout(this.#search)
    this.#isSearching = this.#screen.place.searchTexts !== undefined && query.trim().length >= MIN_SEARCH
    if (this.#isSearching) this.#search = setTimeout(() => this.#searchTexts(query), SEARCH_MS).unref()
    return this
  }

  #searchTexts(query: string): void {
    const { place } = this.#screen
    this.#screen.start(async () => {
      const found = (await place.searchTexts?.(query)) ?? []
      if (query !== this.#query || this.#screen.state.overlay !== this) return
      this.#isSearching = false
      this.#texts = new Map(found.map(({ sessionId, snippet }) => [sessionId, snippet]))
      this.#filter(this.#shown[this.#selected]?.line.sessionId)
      this.#screen.update({ overlay: this })
    })
  }

  /** The chosen session stays chosen wherever it is now. */
  #filter(chosen: SessionId | undefined): void {
    this.#shown = this.#query === "" ? restingRows(this.#rows) : matchingRows(this.#rows, this.#query, this.#texts)
    const at = this.#shown.findIndex(({ line }) => line.sessionId === chosen)
    this.#selected = at >= 0 ? at : 0
  }
}
