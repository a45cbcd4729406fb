// `[{name: a, required: true}, {name: b}]` in one line: a list of small maps of texts.
import { readScalar, YamlFault } from "./yaml-scalar.ts"

export class FlowReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  list(): Record<string, string>[] {
    const maps = this.#between("[", "]", () => this.#map())
    this.#end()
    return maps
  }

  map(): Record<string, string> {
    const map = this.#map()
    this.#end()
    return map
  }

  #map(): Record<string, string> {
    const map: Record<string, string> = {}
    this.#between("{", "}", () => {
      const key = this.#match(/([A-Za-z_][\w-]*)\s*:(?=[\s"'])\s*/y)
      if (key === undefined || Object.hasOwn(map, key)) throw new YamlFault("has a list whose maps are not understood")
      map[key] = readScalar(this.#match(/("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,{}[\]"']*)/y)?.trim() ?? "")
    })
    return map
  }

  /** What stands between two brackets, with commas; one more at the end does no harm. */
  #between<Item>(opening: string, closing: string, item: () => Item): Item[] {
    const items: Item[] = []
    this.#expect(opening)
    while (!this.#takes(closing)) {
      items.push(item())
      if (this.#takes(",")) continue
      this.#expect(closing)
      break
    }
    return items
  }

  #end(): void {
    const rest = this.#text.slice(this.#at)
    if (!/^\s*(#.*)?$/.test(rest)) throw new YamlFault(`has something behind the list: ${rest.trim()}`)
  }

  #expect(sign: string): void {
    if (!this.#takes(sign)) throw new YamlFault(`has a list in which '${sign}' is missing`)
  }

  #takes(sign: string): boolean {
    this.#match(/(\s*)/y)
    if (this.#text[this.#at] !== sign) return false
    this.#at += 1
    this.#match(/(\s*)/y)
    return true
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found !== null) this.#at = pattern.lastIndex
    return found?.[1]
  }
}
