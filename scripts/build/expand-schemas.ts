// Replaces types that are inferred from zod schemas by what they are, so that a program that uses the libraries does not
// need zod.
import { dirname, relative } from "node:path"
import { type ESTree, parseSync } from "rolldown/utils"
import { API, NodeBuilderFlags } from "typescript/unstable/sync"
import { isTypeAliasDeclaration } from "typescript/unstable/ast/is"

const flags = NodeBuilderFlags.NoTruncation | NodeBuilderFlags.InTypeAlias | NodeBuilderFlags.MultilineObjectLiterals

/** The one type that cannot be written out. */
const recursive = { name: "JsonValue", source: "src/contract/values.ts" }

/** The types that a module infers from schemas, written out, by name. */
export type Expanded = ReadonlyMap<string, string>

export class SchemaTypes {
  readonly #api: API
  readonly #project

  constructor(configFile: string) {
    this.#api = new API()
    const [project] = this.#api.updateSnapshot({ openProjects: [configFile] }).getProjects()
    if (project === undefined) throw new Error(`${configFile} is not a project`)
    this.#project = project
  }

  of(sourceFile: string): Expanded {
    const { checker, program } = this.#project
    const aliases = program.getSourceFile(sourceFile)?.statements.filter(isTypeAliasDeclaration) ?? []
    const inferred = aliases.filter(
      (alias) => alias.typeParameters === undefined && /\bz\.|\btypeof\b|FieldsOf</.test(alias.getText()),
    )
    return new Map(
      inferred.map(({ name }) => {
        const type = checker.getTypeAtLocation(name)
        if (type === undefined) throw new Error(`${sourceFile}: ${name.text} has no type`)
        return [name.text, checker.typeToString(type, undefined, flags)]
      }),
    )
  }

  close(): void {
    this.#api.close()
  }
}

/** `text` is the .d.ts of a module. */
export function writeOut(path: string, text: string, expanded: Expanded): string {
  const aliases = parseSync(path, text).program.body.flatMap((node) => aliasIn(node) ?? [])
  const written = aliases.toReversed().reduce((result, { id, typeAnnotation }) => {
    const type = expanded.get(id.name)
    return type === undefined ? result : result.slice(0, typeAnnotation.start) + type + result.slice(typeAnnotation.end)
  }, text)
  const isKnown = path === recursive.source || new RegExp(`^import .*\\b${recursive.name}\\b`, "m").test(text)
  return isKnown
    ? written
    : `import { ${recursive.name} } from "./${relative(dirname(path), recursive.source)}";\n${written}`
}

function aliasIn(node: ESTree.Node): ESTree.TSTypeAliasDeclaration | undefined {
  if (node.type === "ExportNamedDeclaration" && node.declaration !== null) return aliasIn(node.declaration)
  return node.type === "TSTypeAliasDeclaration" ? node : undefined
}
