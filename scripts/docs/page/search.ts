// The search box: results while typing, `/` focuses it, arrow keys move through the results, Escape closes them. The index
// is fetched when the box is used first.
import { search, type Match, type Section } from "./match.ts"

const form = document.querySelector<HTMLFormElement>("form.search")
const input = document.querySelector<HTMLInputElement>("#site-search")
const box = document.querySelector<HTMLElement>("#site-results")
const found = document.querySelector<HTMLElement>("#site-found")
let sections: Promise<readonly Section[]> | undefined

if (form !== null && input !== null && box !== null) start(form, input, box)

function start(searchForm: HTMLFormElement, field: HTMLInputElement, list: HTMLElement): void {
  const load = () => (sections ??= readIndex(searchForm.dataset["index"] ?? ""))
  const root = searchForm.dataset["root"] ?? ""
  const show = async (place: HTMLElement) => {
    const query = field.value
    const nodes = query.trim() === "" ? [] : await resultsFor(query, load, root)
    if (field.value !== query) return // typed on meanwhile
    place.hidden = nodes.length === 0
    place.replaceChildren(...nodes)
  }
  field.addEventListener("focus", () => void load().catch(() => {})) // reported with the first query
  field.addEventListener("input", () => void show(list))
  searchForm.addEventListener("keydown", (event) => onKey(event, field, list))
  document.addEventListener("keydown", (event) => focusOnSlash(event, field))
  document.addEventListener("pointerdown", ({ target }) => {
    if (target instanceof Node && !searchForm.contains(target)) list.hidden = true
  })
  const query = new URLSearchParams(location.search).get("q")
  if (found !== null && query !== null) {
    field.value = query
    void show(found)
  }
}

async function resultsFor(
  query: string,
  load: () => Promise<readonly Section[]>,
  root: string,
): Promise<readonly Node[]> {
  try {
    return resultNodes(search(await load(), query), root)
  } catch (fault) {
    sections = undefined // the next query tries again
    console.warn(fault)
    return [statusNode("Search does not work: its index could not be loaded. Reload the page.")]
  }
}

async function readIndex(address: string): Promise<readonly Section[]> {
  const response = await fetch(address)
  const value: unknown = await response.json()
  if (!Array.isArray(value) || !value.every(isSection)) throw new Error(`${address} is not an index`)
  return value
}

function isSection(value: unknown): value is Section {
  const fields =
    typeof value === "object" && value !== null ? new Map<string, unknown>(Object.entries(value)) : new Map()
  return ["url", "page", "heading", "text"].every((name) => typeof fields.get(name) === "string")
}

function focusOnSlash(event: KeyboardEvent, field: HTMLInputElement): void {
  const isTyping = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  field.focus()
}

function onKey(event: KeyboardEvent, field: HTMLInputElement, list: HTMLElement): void {
  if (event.key === "Escape") {
    list.hidden = true
    field.focus()
    return
  }
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
  if (step === 0 || list.hidden) return
  event.preventDefault()
  const stops: HTMLElement[] = [field, ...list.querySelectorAll("a")]
  const at = stops.findIndex((stop) => stop === document.activeElement)
  stops[Math.min(Math.max(at + step, 0), stops.length - 1)]?.focus()
}

function resultNodes(matches: readonly Match[], root: string): readonly Node[] {
  const status = statusNode(matches.length === 0 ? "Nothing found." : `${matches.length} found`)
  const list = element("ol", "", "")
  list.append(...matches.map((match) => resultNode(match, root)))
  return matches.length === 0 ? [status] : [status, list]
}

function statusNode(text: string): HTMLElement {
  const status = element("p", "count", text)
  status.role = "status"
  return status
}

/** `root` is the address of the start page. */
function resultNode({ section, excerpt }: Match, root: string): Node {
  const link = document.createElement("a")
  link.href = new URL(section.url, new URL(root, location.href)).href
  const title = section.heading === "" ? section.page : `${section.page} › ${section.heading}`
  const text = element("span", "excerpt", "")
  text.append(...excerpt.map((part) => (part.isMarked ? element("mark", "", part.text) : part.text)))
  link.append(element("span", "title", title), text)
  const item = document.createElement("li")
  item.append(link)
  return item
}

function element(name: string, className: string, text: string): HTMLElement {
  const made = document.createElement(name)
  if (className !== "") made.className = className
  made.textContent = text
  return made
}
