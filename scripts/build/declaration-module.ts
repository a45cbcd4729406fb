// One .d.ts file as a list of statements, each with the names that it declares and the names that it uses.
import { type ESTree, parseSync } from "rolldown/utils"

/** A schema and the type of its values share a name, and only the type is needed. */
export type Space = "type" | "value"

export interface Use {
  readonly name: string
  readonly space: Space
}

export interface Declared {
  readonly start: number
  readonly end: number
  readonly names: readonly string[]
  readonly spaces: readonly Space[]
  readonly uses: readonly Use[]
  readonly inline: readonly InlineImport[]
}

/** `import("FROM").NAME`; the positions are those of the quoted specifier. */
export interface InlineImport extends Source {
  readonly start: number
  readonly end: number
}

/** A name that comes from another module; `*` is the whole module. */
export interface Source {
  readonly from: string
  readonly name: string
}

export interface Exported {
  readonly name: string
  readonly isType: boolean
  /** The name in this module, or where it comes from. */
  readonly of: string | Source
}

export interface DeclarationModule {
  readonly text: string
  readonly declared: readonly Declared[]
  readonly imports: ReadonlyMap<string, Source>
  readonly exports: readonly Exported[]
  /** Modules whose exports are all exported again. */
  readonly stars: readonly string[]
}

export function parseDeclarations(path: string, text: string): DeclarationModule {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors.map(({ message }) => message).join(", ")}`)
  const exports = program.body.flatMap(exportsOf)
  const stars = program.body.flatMap((node) => (node.type === "ExportAllDeclaration" ? [node.source.value] : []))
  return {
    text,
    declared: program.body.flatMap(declaredBy),
    imports: new Map(program.body.flatMap(importsOf)),
    exports,
    stars,
  }
}

function importsOf(node: ESTree.Node): (readonly [string, Source])[] {
  if (node.type !== "ImportDeclaration") return []
  return node.specifiers.map((specifier) => {
    const name =
      specifier.type === "ImportSpecifier"
        ? nameOf(specifier.imported)
        : specifier.type === "ImportDefaultSpecifier"
          ? "default"
          : "*"
    return [specifier.local.name, { from: node.source.value, name }] as const
  })
}

function exportsOf(node: ESTree.Node): readonly Exported[] {
  if (node.type !== "ExportNamedDeclaration") return []
  if (node.declaration !== null && node.declaration !== undefined)
    return declaredBy(node.declaration).flatMap(({ names, spaces }) =>
      names.map((name) => ({ name, isType: !spaces.includes("value"), of: name })),
    )
  return node.specifiers.map((specifier) => {
    const isType = node.exportKind === "type" || specifier.exportKind === "type"
    const name = nameOf(specifier.local)
    const of = node.source === null || node.source === undefined ? name : { from: node.source.value, name }
    return { name: nameOf(specifier.exported), isType, of }
  })
}

function declaredBy(node: ESTree.Node): readonly Declared[] {
  switch (node.type) {
    case "ExportNamedDeclaration": {
      const inner = node.declaration === null || node.declaration === undefined ? [] : declaredBy(node.declaration)
      return inner.map((one) => ({ ...one, start: node.start, end: node.end }))
    }
    case "VariableDeclaration":
      return [
        statement(
          node,
          node.declarations.flatMap(({ id }) => identifierName(id)),
          ["value"],
        ),
      ]
    case "TSTypeAliasDeclaration":
    case "TSInterfaceDeclaration":
      return [statement(node, [node.id.name], ["type"])]
    case "TSDeclareFunction":
      return [statement(node, identifierName(node.id), ["value"])]
    case "ClassDeclaration":
    case "TSEnumDeclaration":
    case "TSModuleDeclaration":
      return [statement(node, identifierName(node.id), ["type", "value"])]
    default:
      return []
  }
}

function identifierName(node: ESTree.Node | null): readonly string[] {
  return node?.type === "Identifier" ? [node.name] : []
}

function statement(node: ESTree.Node, names: readonly string[], spaces: readonly Space[]): Declared {
  return { start: node.start, end: node.end, names, spaces, uses: [...usesIn(node)], inline: [...inlineImports(node)] }
}

/** Every identifier that may be a reference; a parameter's own name does no harm. */
function* usesIn(node: unknown, space: Space = "value"): Iterable<Use> {
  if (Array.isArray(node)) for (const one of node) yield* usesIn(one, space)
  if (!isNode(node)) return
  if (node["type"] === "Identifier" && typeof node["name"] === "string") yield { name: node["name"], space }
  for (const [key, part] of Object.entries(node)) {
    const isName = key === "id" || key === "right" || (key === "key" && node["computed"] !== true)
    if (isName && !(key === "id" && node["type"] === "VariableDeclarator")) continue
    const isType = key === "typeName" || (key === "expression" && /Heritage|Implements/.test(String(node["type"])))
    yield* usesIn(part, isType || (space === "type" && key === "left") ? "type" : "value")
  }
}

function* inlineImports(node: unknown): Iterable<InlineImport> {
  if (Array.isArray(node)) for (const one of node) yield* inlineImports(one)
  if (!isNode(node)) return
  const { type, source, qualifier } = node
  if (type === "TSImportType" && isNode(source) && isNode(qualifier)) yield inlineImport(source, qualifier)
  for (const part of Object.values(node)) yield* inlineImports(part)
}

function inlineImport(source: Record<string, unknown>, qualifier: Record<string, unknown>): InlineImport {
  const { name } = qualifier
  const { value: from, start, end } = source
  if (typeof name !== "string" || typeof from !== "string" || typeof start !== "number" || typeof end !== "number")
    throw new Error(`import type that is not understood: ${JSON.stringify({ source, qualifier })}`)
  return { from, name, start, end }
}

function isNode(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function nameOf(node: ESTree.ModuleExportName): string {
  return node.type === "Literal" ? node.value : node.name
}
