// The documentation, built into a temporary folder, and what its pages contain.
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { Parser } from "htmlparser2"
import { writeSite } from "../../scripts/docs/site.ts"

export const checkout = fileURLToPath(new URL("../..", import.meta.url))

export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

export interface BuiltSite {
  readonly folder: string
  /** Paths of all files. */
  readonly files: ReadonlySet<string>
  /** Elements of each page. */
  readonly pages: ReadonlyMap<string, readonly Element[]>
  text(path: string): string
  remove(): void
}

export async function buildSite(): Promise<BuiltSite> {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-docs-"))
  await writeSite(checkout, folder)
  const files = new Set(globSync("**/*.*", { cwd: folder }))
  const text = (path: string) => readFileSync(join(folder, path), "utf8")
  const html = [...files].filter((file) => file.endsWith(".html"))
  return {
    folder,
    files,
    pages: new Map(html.map((file) => [file, elementsIn(text(file))])),
    text,
    remove: () => rmSync(folder, { recursive: true }),
  }
}

function elementsIn(html: string): readonly Element[] {
  const found: Element[] = []
  const parser = new Parser({ onopentag: (name, attributes) => found.push({ name, attributes }) })
  parser.end(html)
  return found
}

/** A link to a page or file that does not exist, or to an anchor that its page does not have. */
export function deadLinks({ pages, files }: Pick<BuiltSite, "pages" | "files">): readonly string[] {
  const anchors = new Map([...pages].map(([page, elements]) => [page, new Set(elements.map(idOf))]))
  return [...pages].flatMap(([page, elements]) =>
    elements.flatMap(addressesOf).flatMap((address) => {
      if (/^(https?|mailto):/.test(address)) return []
      const [path = "", anchor] = address.split("#")
      const target = path === "" ? page : targetOf(page, path)
      const isDead = !files.has(target) || (anchor !== undefined && anchors.get(target)?.has(anchor) !== true)
      return isDead ? [`${page}: ${address}`] : []
    }),
  )
}

/** The page for unknown paths has addresses below the root of the server. */
function targetOf(page: string, path: string): string {
  return path.startsWith("/docs/") ? path.slice("/docs/".length) : posix.join(posix.dirname(page), path)
}

function idOf({ attributes }: Element): string {
  return attributes["id"] ?? ""
}

function addressesOf({ attributes }: Element): readonly string[] {
  const names = ["href", "src", "srcset", "action", "data-index", "data-root"]
  return names.flatMap((name) => attributes[name] ?? [])
}
