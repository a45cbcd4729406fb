// Which module of the sources a place of a script belongs to: in a checkout a script is a module, in a package many modules are
// one file, where a comment before each names it.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { programFolder } from "../../../../program/program-files.ts"

interface Section {
  readonly start: number
  readonly module: string
}

const heading = /^\/\/ (?:#region )?((?:src|node_modules)\/\S+)$/gm

export class ScriptPlaces {
  readonly #sources = pathToFileURL(join(programFolder, "src/")).href
  readonly #bundles = pathToFileURL(join(programFolder, "dist/")).href
  readonly #sections = new Map<string, readonly Section[]>()

  isOwn(url: string): boolean {
    return url.startsWith(this.#sources) || url.startsWith(this.#bundles)
  }

  /** Path below `src/`; undefined in code of others. */
  moduleAt(url: string, offset: number): string | undefined {
    if (url.startsWith(this.#sources)) return url.slice(this.#sources.length)
    const section = this.#sectionsOf(url).findLast(({ start }) => start <= offset)
    return section?.module.startsWith("src/") === true ? section.module.slice("src/".length) : undefined
  }

  #sectionsOf(url: string): readonly Section[] {
    const known = this.#sections.get(url)
    if (known !== undefined) return known
    const text = readFileSync(fileURLToPath(url), "utf8")
    const sections = [...text.matchAll(heading)].map(({ index, 1: module = "" }) => ({ start: index, module }))
    this.#sections.set(url, sections)
    return sections
  }
}
