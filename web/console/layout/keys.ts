// Every key of the console outside of text fields, in one table: what it does, and how the help names it. Letters of the
// approval card are in src/display/approval-choices.ts.
import { isTyping } from "../session/approvals/approval-card.tsx"

export interface KeyBinding {
  readonly keys: readonly string[]
  readonly help: string
  readonly run: () => void
}

export const keyBindings = (showHelp: () => void): readonly KeyBinding[] => [
  { keys: ["/"], help: "search sessions", run: () => focus("#search") },
  { keys: ["j"], help: "next session or card", run: () => step(1) },
  { keys: ["k"], help: "previous session or card", run: () => step(-1) },
  { keys: ["i"], help: "write a prompt", run: () => focus("#prompt") },
  { keys: ["g"], help: "the next card that waits for you", run: nextCard },
  { keys: ["?"], help: "this help", run: showHelp },
]

/** What the browser does by itself, and what a focused card takes. */
export const furtherKeys: readonly { readonly keys: string; readonly help: string }[] = [
  { keys: "y, n", help: "approve or deny the focused card; a, f, t, e, d as written on it" },
  { keys: "enter", help: "send; while the agent works, queue it for the next step" },
  { keys: "shift-enter", help: "new line" },
  { keys: "tab", help: "complete a /command or an @file" },
  { keys: "esc", help: "close a list, a form or the panel; leave a field" },
]

export function onKey(bindings: readonly KeyBinding[], event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === "Escape" && isTyping(event.target) && event.target instanceof HTMLElement)
    return event.target.blur()
  if (isTyping(event.target)) return
  const binding = bindings.find(({ keys }) => keys.includes(event.key))
  if (binding === undefined) return
  event.preventDefault()
  binding.run()
}

function focus(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus()
}

/** Through the cards that wait, then the sessions of the list. */
function step(by: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>(".approval, .session-row a, .found-text a")]
  if (all.length === 0) return
  const active = document.activeElement
  const at = all.findIndex((element) => element === active || element.contains(active))
  const next = at < 0 ? (by === 1 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by))
  all[next]?.focus()
}

function nextCard(): void {
  const cards = [...document.querySelectorAll<HTMLElement>(".approval")]
  const at = cards.findIndex((card) => card.contains(document.activeElement))
  cards[(at + 1) % Math.max(1, cards.length)]?.focus()
}
