// Where the links of Markdown files lead on the site. A link to nothing is an error that names its file.
import { existsSync, statSync } from "node:fs"
import { join, posix } from "node:path"
import { isHeading, type Source } from "./source.ts"
import type { Piece } from "./pieces.ts"

export class Links {
  readonly #root: string
  readonly #places = new Map<string, string>()
  readonly #files = new Map<string, string>()
  readonly #dead = new Set<string>()

  constructor(root: string, pieces: readonly Piece[]) {
    this.#root = root
    for (const piece of pieces) this.#place(piece)
  }

  /** Files of the project that pages link to, by their address on the site. */
  get files(): ReadonlyMap<string, string> {
    return this.#files
  }

  /** A link to `path` leads to this page. */
  set(path: string, url: string): void {
    this.#places.set(path, url)
  }

  /** The link as the page at `url` has it. */
  resolve(source: string, url: string, href: string): string {
    if (/^(https?|mailto):/.test(href)) return href
    const [path = "", anchor = ""] = href.split("#")
    const target = path === "" ? source : posix.join(posix.dirname(source), path)
    const place = this.#places.get(anchor === "" ? target : `${target}#${anchor}`) ?? this.#file(target, anchor)
    if (place === undefined) this.#dead.add(`${source}: ${href}`)
    return relativeUrl(url, place ?? "")
  }

  check(): void {
    if (this.#dead.size > 0) throw new Error(`links that lead nowhere:\n  ${[...this.#dead].join("\n  ")}`)
  }

  #place({ source, url, tokens }: Piece): void {
    if (!this.#places.has(source.path)) this.#places.set(source.path, url)
    const shown = new Set(tokens)
    const title = titleOf(source, tokens)
    for (const [heading, anchor] of source.anchors) {
      const key = `${source.path}#${anchor}`
      if (shown.has(heading)) this.#places.set(key, `${url}#${anchor}`)
      else if (heading === title) this.#places.set(key, url)
      else if (!this.#places.has(key)) this.#places.set(key, `${url}#${anchor}`) // groups pages: on the first one
    }
  }

  #file(path: string, anchor: string): string | undefined {
    const file = join(this.#root, path)
    if (anchor !== "" || path.startsWith("..") || !existsSync(file) || !statSync(file).isFile()) return undefined
    const url = path.startsWith("docs/pictures/") ? path.slice("docs/".length) : `files/${path}.html`
    if (url.startsWith("files/")) this.#files.set(url, path)
    return url
  }
}

/** The heading before the tokens of a piece. */
function titleOf({ tokens: all }: Source, [first]: Piece["tokens"]): unknown {
  const before = all.slice(0, first === undefined ? 0 : all.indexOf(first)).findLast((token) => token.type !== "space")
  return before !== undefined && isHeading(before) ? before : undefined
}

export function relativeUrl(from: string, to: string): string {
  const [page = "", anchor] = to.split("#")
  const hash = anchor === undefined ? "" : `#${anchor}`
  if (page === from && hash !== "") return hash
  return `${posix.relative(posix.dirname(from), page)}${hash}`
}
