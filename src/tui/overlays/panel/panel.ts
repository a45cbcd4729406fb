// The panel: what belongs to the session besides the conversation, a page each. It is live while it is open.
import { messageOf } from "../../../contract/faults.ts"
import { safe } from "../../../display/safe-text.ts"
import { plain, wrapSpans, type Line } from "../../../display/spans.ts"
import type { ScreenControl } from "../../actions/control.ts"
import { keyName, type InputEvent } from "../../terminal/parse-input.ts"
import { showFresh } from "../keep-fresh.ts"
import type { Overlay, OverlaySpace } from "../overlay.ts"
import { agentsTab } from "./agents.ts"
import { locksTab } from "./locks.ts"
import { extensionsTab, serversTab } from "./programs.ts"
import type { PanelRow, PanelTab } from "./tab.ts"
import { tasksTab } from "./tasks.ts"

type PanelScreen = Pick<ScreenControl, "state" | "update" | "start" | "openSession" | "place">

export const panelTabs: readonly PanelTab[] = [agentsTab, tasksTab, locksTab, serversTab, extensionsTab]

export interface PanelContent {
  readonly tab: number
  readonly rows: readonly PanelRow[]
  readonly selected: number
  /** Why the page could not be loaded. */
  readonly problem: string | undefined
}

export function openPanel(screen: PanelScreen): void {
  const panel = new Panel(screen)
  showFresh(screen, panel, () => panel.load())
}

class Panel implements Overlay {
  readonly title = "panel"
  readonly hint = "tab next page   enter open   esc back"
  readonly #screen: PanelScreen
  #content: PanelContent = { tab: 0, rows: [], selected: 0, problem: undefined }

  constructor(screen: PanelScreen) {
    this.#screen = screen
  }

  async load(): Promise<void> {
    const { tab } = this.#content
    const { session } = this.#screen.state
    if (session === undefined) return
    const loaded = await this.#rows(tab, session)
    if (tab !== this.#content.tab) return
    const selected = Math.max(0, Math.min(this.#content.selected, loaded.rows.length - 1))
    this.#content = { ...this.#content, ...loaded, selected }
  }

  async #rows(tab: number, session: NonNullable<PanelScreen["state"]["session"]>) {
    try {
      return { rows: (await panelTabs[tab]?.load(this.#screen.place, session)) ?? [], problem: undefined }
    } catch (fault) {
      return { rows: [], problem: messageOf(fault) }
    }
  }

  readonly lines = (space: OverlaySpace): readonly Line[] => panelLines(this.#content, space)

  readonly input = (event: InputEvent): Overlay | undefined => {
    if (event.kind === "wheel") return this.#move(Math.sign(event.lines))
    if (event.kind !== "key") return this
    switch (keyName(event.key)) {
      case "escape":
      case "ctrl-c":
      case "ctrl-t":
        return undefined
      case "tab":
      case "right":
        return this.#turn(1)
      case "shift-tab":
      case "left":
        return this.#turn(-1)
      case "up":
        return this.#move(-1)
      case "down":
        return this.#move(1)
      case "return":
        return this.#open()
      default:
        return this
    }
  }

  #turn(by: 1 | -1): Overlay {
    const tab = (this.#content.tab + by + panelTabs.length) % panelTabs.length
    this.#content = { tab, rows: [], selected: 0, problem: undefined }
    this.#screen.start(async () => {
      await this.load()
      if (this.#screen.state.overlay === this) this.#screen.update({ overlay: this })
    })
    return this
  }

  #move(by: number): Overlay {
    const { rows, selected } = this.#content
    this.#content = { ...this.#content, selected: Math.max(0, Math.min(rows.length - 1, selected + by)) }
    return this
  }

  #open(): Overlay | undefined {
    const sessionId = this.#content.rows[this.#content.selected]?.sessionId
    if (sessionId === undefined) return this
    if (sessionId !== this.#screen.state.session?.sessionId)
      this.#screen.start(() => this.#screen.openSession(sessionId))
    return undefined
  }
}

export function panelLines({ tab, rows, selected, problem }: PanelContent, space: OverlaySpace): readonly Line[] {
  const { width, height } = space
  const head = tabLine(tab)
  const inner = Math.max(1, width - 4)
  if (rows.length === 0) {
    const text = problem ?? panelTabs[tab]?.none ?? ""
    return [
      head,
      [],
      ...wrapSpans([{ text: safe(text), styles: ["muted"] }], inner).map((line) => [plain(" "), ...line]),
    ]
  }
  const lines = rows.flatMap((row, at) =>
    row.lines(inner).map((line, number) => ({
      at,
      line: [plain(at === selected && number === 0 ? " › " : "   "), ...line],
    })),
  )
  const room = Math.max(1, height - 2)
  const chosen = lines.findIndex(({ at }) => at === selected)
  const first = Math.max(0, Math.min(chosen - Math.floor(room / 2), lines.length - room))
  return [head, [], ...lines.slice(first, first + room).map(({ line }) => line)]
}

function tabLine(current: number): Line {
  return panelTabs.flatMap(({ title }, at): Line => [
    plain(" "),
    { text: title, styles: at === current ? ["bold", "underline"] : ["muted"] },
    plain(" "),
  ])
}
