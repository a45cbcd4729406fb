// Skills: instructions for one kind of task, each a folder with a SKILL.md, in one of several roots. The first root that
// has a skill wins. Names are checked before they become part of a path.
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { systemCode } from "../contract/faults.ts"

const NAME_PATTERN = /^[A-Za-z0-9_-]{1,128}$/
const fileName = "SKILL.md"

export class Skills {
  readonly #roots: readonly string[]

  constructor(roots: readonly string[]) {
    this.#roots = roots
  }

  /** Names in order. */
  async list(): Promise<readonly string[]> {
    const found = await Promise.all(this.#roots.map(foldersIn))
    const names = [...new Set(found.flat())].filter((name) => NAME_PATTERN.test(name))
    const texts = await Promise.all(names.map((name) => this.read(name)))
    return names.filter((_, index) => texts[index] !== undefined).toSorted()
  }

  /** Its text without front matter; undefined for an unknown skill. */
  async read(name: string): Promise<string | undefined> {
    if (!NAME_PATTERN.test(name)) return undefined
    for (const root of this.#roots) {
      const text = await textAt(join(root, name, fileName))
      if (text !== undefined) return withoutFrontMatter(text)
    }
    return undefined
  }
}

function withoutFrontMatter(text: string): string {
  return text.replace(/^\uFEFF?---\r?\n(?:.*?\r?\n)?---[ \t]*(?:\r?\n|$)/s, "").trim()
}

async function foldersIn(root: string): Promise<readonly string[]> {
  try {
    return await readdir(root)
  } catch (fault) {
    return missing(fault, [])
  }
}

async function textAt(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8")
  } catch (fault) {
    return missing(fault, undefined)
  }
}

/** A missing or unreadable file is no skill. */
function missing<Value>(fault: unknown, fallback: Value): Value {
  const code = systemCode(fault)
  if (code !== undefined && ["ENOENT", "ENOTDIR", "EISDIR", "EACCES"].includes(code)) return fallback
  throw fault
}
