// Keeps of many .d.ts files only the statements that the types of some entry modules need, in the same files. So the
// schemas, whose types need zod, are left out where only the types of their values are public.
import {
  parseDeclarations,
  type Declared,
  type DeclarationModule,
  type Exported,
  type Source,
  type Space,
} from "./declaration-module.ts"

export interface Files {
  /** The file that a module of `path` imports as `specifier`; undefined if it is of another package. */
  readonly resolve: (path: string, specifier: string) => string | undefined
  readonly read: (path: string) => string
  /** How the module at `path` names the one at `target`. */
  readonly specifier: (path: string, target: string) => string
}

interface Kept {
  readonly module: DeclarationModule
  readonly statements: Set<Declared>
  readonly imports: Map<string, Source>
  readonly exports: Set<Exported>
}

export interface Shaken {
  /** Text by path. */
  readonly files: ReadonlyMap<string, string>
  /** Imports of other packages, as "NAME (PATH)". */
  readonly foreign: ReadonlySet<string>
}

export function shakeDeclarations(entries: readonly string[], files: Files): Shaken {
  const shaker = new Shaker(files)
  for (const entry of entries) shaker.keepAll(entry)
  return { files: new Map(shaker.paths().map((path) => [path, shaker.print(path)])), foreign: shaker.foreign }
}

class Shaker {
  readonly foreign = new Set<string>()
  readonly #files: Files
  readonly #kept = new Map<string, Kept>()
  readonly #seen = new Set<string>()

  constructor(files: Files) {
    this.#files = files
  }

  paths(): readonly string[] {
    return [...this.#kept.keys()]
  }

  /** Every export of a module. */
  keepAll(path: string): void {
    if (this.#isSeen(path, "*")) return
    const { module } = this.#open(path)
    for (const exported of module.exports) {
      this.#keepExport(path, exported.name, "type")
      if (!exported.isType) this.#keepExport(path, exported.name, "value")
    }
    for (const star of module.stars) this.keepAll(this.#local(path, star))
  }

  print(path: string): string {
    const { module, statements, imports, exports } = this.#open(path)
    const lines = [...imports].map(
      ([local, source]) => `import type ${importClause(local, source)} from "${this.#named(path, source.from)}";`,
    )
    const texts = module.declared
      .filter((one) => statements.has(one))
      .map((one) => commentBefore(module.text, one.start) + this.#textOf(path, module, one))
    const passed = [...exports].map(({ name, isType, of }) => {
      const [local, from] = typeof of === "string" ? [of, ""] : [of.name, ` from "${this.#named(path, of.from)}"`]
      return `export ${isType ? "type " : ""}{ ${local === name ? name : `${local} as ${name}`} }${from};`
    })
    const stars = module.stars
      .filter((star) => this.#kept.has(this.#local(path, star)))
      .map((star) => `export * from "${this.#named(path, star)}";`)
    return [...lines, ...texts, ...passed, ...stars, "export {};", ""].join("\n")
  }

  #textOf(path: string, { text }: DeclarationModule, { start, end, inline }: Declared): string {
    const ends = [...inline.map((one) => one.start), end]
    const parts = inline.map((one, index) => `"${this.#named(path, one.from)}"${text.slice(one.end, ends[index + 1])}`)
    return text.slice(start, ends[0]) + parts.join("")
  }

  #keepExport(path: string, name: string, space: Space): boolean {
    const { module, exports } = this.#open(path)
    const exported = module.exports.find((one) => one.name === name)
    if (exported === undefined)
      return module.stars.some((star) => this.#keepExport(this.#local(path, star), name, space))
    if (typeof exported.of !== "string") {
      exports.add(exported)
      this.#keepSource(path, exported.of, space)
      return true
    }
    const local = exported.of
    if (!module.declared.some((one) => one.names.includes(local) && isExport(module, one))) exports.add(exported)
    this.#keepName(path, local, space)
    return true
  }

  #keepName(path: string, name: string, space: Space): void {
    if (this.#isSeen(path, `${space} ${name}`)) return
    const { module, statements, imports } = this.#open(path)
    const source = module.imports.get(name)
    if (source !== undefined) {
      imports.set(name, source)
      return this.#keepSource(path, source, space)
    }
    for (const declared of module.declared) {
      if (!declared.names.includes(name) || !declared.spaces.includes(space) || statements.has(declared)) continue
      statements.add(declared)
      for (const use of declared.uses) this.#keepName(path, use.name, use.space)
      for (const inline of declared.inline) this.#keepSource(path, inline, "type")
    }
  }

  #keepSource(path: string, { from, name }: Source, space: Space): void {
    const target = this.#files.resolve(path, from)
    if (target === undefined) this.foreign.add(`${from} (${path})`)
    else if (name === "*") this.keepAll(target)
    else if (!this.#keepExport(target, name, space)) throw new Error(`${path}: ${from} does not export ${name}`)
  }

  #named(path: string, specifier: string): string {
    const target = this.#files.resolve(path, specifier)
    return target === undefined ? specifier : this.#files.specifier(path, target)
  }

  #local(path: string, specifier: string): string {
    const target = this.#files.resolve(path, specifier)
    if (target === undefined) throw new Error(`${path}: exports everything of ${specifier}`)
    return target
  }

  #isSeen(path: string, key: string): boolean {
    const seen = `${path} ${key}`
    if (this.#seen.has(seen)) return true
    this.#seen.add(seen)
    return false
  }

  #open(path: string): Kept {
    const known = this.#kept.get(path)
    if (known !== undefined) return known
    const module = parseDeclarations(path, this.#files.read(path))
    const kept: Kept = { module, statements: new Set(), imports: new Map(), exports: new Set() }
    this.#kept.set(path, kept)
    return kept
  }
}

function isExport(module: DeclarationModule, { start }: Declared): boolean {
  return module.text.startsWith("export", start)
}

function importClause(local: string, { name }: Source): string {
  if (name === "*") return `* as ${local}`
  return name === local ? `{ ${name} }` : `{ ${name} as ${local} }`
}

/** The documentation of a statement. */
function commentBefore(text: string, start: number): string {
  return /\/\*\*(?:[^*]|\*(?!\/))*\*\/\s*$/.exec(text.slice(0, start))?.[0] ?? ""
}
