// A list to choose from, filtered by what is typed: models, sessions, earlier prompts. Keys besides those of the list can
// choose too, with their name.
import { safe } from "../../display/safe-text.ts"
import { columnsOf, cutToWidth, padToWidth, type Line, type Style } from "../../display/spans.ts"
import { fuzzyFilter } from "../../display/fuzzy.ts"
import { keyName, type InputEvent } from "../terminal/parse-input.ts"
import type { Overlay, OverlaySpace } from "./overlay.ts"

export interface ListItem {
  readonly label: string
  /** On the right, as far as it fits. */
  readonly detail?: string
  /** What a search looks at besides the label. */
  readonly searched?: string
  readonly style?: Style
}

export interface ListOptions<Item extends ListItem> {
  readonly title: string
  readonly items: readonly Item[]
  /** Called with the key that chose it; the list is closed. */
  readonly choose: (item: Item, key: string) => void
  /** Keys that choose besides `return`, with what they do. */
  readonly keys?: Readonly<Record<string, string>>
  /** Shown where nothing matches. */
  readonly none: string
  /** Chosen at first. */
  readonly selected?: number
}

interface ListState {
  readonly query: string
  readonly selected: number
}

const MAX_MATCHES = 1000
const PAGE = 10

export function listOverlay<Item extends ListItem>(options: ListOptions<Item>, state?: ListState): Overlay {
  const { title, keys = {} } = options
  const current = state ?? { query: "", selected: options.selected ?? 0 }
  const more = Object.entries(keys).map(([key, does]) => `${key} ${does}`)
  return {
    title,
    hint: ["enter choose", ...more, "esc back", "type to search"].join("   "),
    lines: (space) => listLines(options, current, space),
    input: (event) => afterInput(options, current, event),
  }
}

function matches<Item extends ListItem>({ items }: ListOptions<Item>, query: string): readonly Item[] {
  return fuzzyFilter(
    items,
    query,
    ({ label, detail = "", searched = "" }) => `${label} ${detail} ${searched}`,
    MAX_MATCHES,
  )
}

function listLines<Item extends ListItem>(
  options: ListOptions<Item>,
  { query, selected }: ListState,
  { width, height }: OverlaySpace,
): readonly Line[] {
  const found = matches(options, query)
  const rows = Math.max(1, height - 2)
  const first = Math.max(0, Math.min(selected - Math.floor(rows / 2), found.length - rows))
  const count = query === "" ? String(options.items.length) : `${found.length} of ${options.items.length}`
  const name = ` ${options.title}${query === "" ? "" : `  ${safe(query)}▌`}`
  const gap = " ".repeat(Math.max(1, width - columnsOf(name) - columnsOf(count) - 1))
  const head: Line = [
    { text: name, styles: ["bold"] },
    { text: `${gap}${count}`, styles: ["muted"] },
  ]
  if (found.length === 0) return [head, [], [{ text: ` ${options.none}`, styles: ["muted"] }]]
  const shown = found.slice(first, first + rows)
  return [head, [], ...shown.map((item, at) => itemLine(item, first + at === selected, width))]
}

function itemLine({ label, detail = "", style }: ListItem, isSelected: boolean, width: number): Line {
  const right = cutToWidth(safe(detail), Math.floor(width / 2))
  const room = Math.max(1, width - columnsOf(right) - 6)
  const left = padToWidth(cutToWidth(safe(label), room), room)
  const styles: readonly Style[] = [...(isSelected ? (["bold"] as const) : []), ...(style === undefined ? [] : [style])]
  return [
    { text: `${isSelected ? " ▸ " : "   "}${left}`, styles },
    { text: `  ${right}`, styles: ["muted"] },
  ]
}

function afterInput<Item extends ListItem>(
  options: ListOptions<Item>,
  state: ListState,
  event: InputEvent,
): Overlay | undefined {
  const { query, selected } = state
  if (event.kind === "text" || event.kind === "paste")
    return listOverlay(options, { query: `${query}${event.text.replaceAll(/\s+/g, " ")}`.slice(0, 200), selected: 0 })
  if (event.kind === "wheel")
    return listOverlay(options, withSelected(options, state, selected + Math.sign(event.lines)))
  if (event.kind !== "key") return listOverlay(options, state)
  const key = keyName(event.key)
  const item = matches(options, query)[selected]
  if (item !== undefined && (key === "return" || options.keys?.[key] !== undefined)) {
    options.choose(item, key)
    return undefined
  }
  return afterKey(options, state, key)
}

function afterKey<Item extends ListItem>(
  options: ListOptions<Item>,
  state: ListState,
  key: string,
): Overlay | undefined {
  const { query, selected } = state
  switch (key) {
    case "escape":
    case "ctrl-c":
      return undefined
    case "up":
      return listOverlay(options, withSelected(options, state, selected - 1))
    case "down":
      return listOverlay(options, withSelected(options, state, selected + 1))
    case "pageup":
      return listOverlay(options, withSelected(options, state, selected - PAGE))
    case "pagedown":
      return listOverlay(options, withSelected(options, state, selected + PAGE))
    case "backspace":
      return listOverlay(options, { query: query.slice(0, -1).toWellFormed(), selected: 0 })
    default:
      return listOverlay(options, state)
  }
}

function withSelected<Item extends ListItem>(
  options: ListOptions<Item>,
  state: ListState,
  selected: number,
): ListState {
  const last = matches(options, state.query).length - 1
  return { ...state, selected: Math.max(0, Math.min(last, selected)) }
}
