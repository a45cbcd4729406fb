// Rules of this project for oxlint: the layouts of src/ and web/, plain words in messages, and polls in tests.
import { folderOf, importFault } from "./imports.ts"
import { forbiddenWord } from "./plain-words.ts"
import { webImportFault } from "./web-layout.ts"

interface Context {
  readonly filename: string
  report(problem: { readonly message: string; readonly node: unknown }): void
}

interface ImportNode {
  readonly source?: { readonly value: unknown } | null
  readonly specifiers?: readonly { readonly imported?: { readonly name?: string } }[]
}

const layout = {
  create(context: Context) {
    const file = folderOf(context.filename)
    if (file === undefined) return {}
    const check = (node: ImportNode): void => {
      const source = node.source?.value
      if (typeof source !== "string") return
      const names = node.specifiers?.map(({ imported }) => imported?.name ?? "*")
      const message = importFault(file, source, names)
      if (message !== undefined) context.report({ message, node })
    }
    return {
      Program: (node: unknown): void => {
        if (file.rules === undefined)
          context.report({ message: `src/${file.folder} is not listed in lint/layout.ts.`, node })
      },
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    }
  },
}

const webLayout = {
  create(context: Context) {
    const check = (node: ImportNode): void => {
      const source = node.source?.value
      const message = typeof source === "string" ? webImportFault(context.filename, source) : undefined
      if (message !== undefined) context.report({ message, node })
    }
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    }
  },
}

const plainWords = {
  create(context: Context) {
    const check = (node: unknown, text: unknown): void => {
      if (typeof text !== "string") return
      const word = forbiddenWord(text)
      if (word !== undefined) context.report({ message: `"${word.found}": ${word.advice}`, node })
    }
    return {
      Literal: (node: { readonly value: unknown }): void => check(node, node.value),
      TemplateElement: (node: { readonly value: { readonly cooked: unknown } }): void => check(node, node.value.cooked),
    }
  },
}

interface MemberNode {
  readonly object: { readonly type: string; readonly name?: string }
  readonly property: { readonly name?: string }
}

/** The global expect.poll loses its test when other tests run at the same time; the one of the context does not. */
const concurrentPoll = {
  create(context: Context) {
    const polls: MemberNode[] = []
    let isConcurrent = false
    const onMember = (node: MemberNode): void => {
      if (node.property.name === "concurrent") isConcurrent = true
      if (node.object.name === "expect" && node.property.name === "poll") polls.push(node)
    }
    const report = (): void => {
      for (const node of isConcurrent ? polls : [])
        context.report({
          message: "In a file with concurrent tests, use test.expect.poll of the test's context.",
          node,
        })
    }
    return { MemberExpression: onMember, "Program:exit": report }
  },
}

export default {
  meta: { name: "turnhouse" },
  rules: { layout, "web-layout": webLayout, "plain-words": plainWords, "concurrent-poll": concurrentPoll },
}
