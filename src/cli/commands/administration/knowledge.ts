// `turnhouse knowledge`: documents that agents search and cite, and the sources they come from.
import { usageFault } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"

const usage =
  "Use 'knowledge add PATH...', 'sources', 'refresh [SOURCE...]', 'runs SOURCE', 'watch [SOURCE...]', 'ls', 'rm ID...', 'search WORDS' or 'eval FILE'."

export async function run(args: Args): Promise<number> {
  const [action, ...names] = args.positionals
  refuseStray(args, action)
  switch (action) {
    case "add":
      if (names.length === 0)
        throw usageFault("name a file, a folder, or a file with web addresses: knowledge add PATH...")
      return (await import("../../knowledge/add.ts")).add(names, args)
    case "ls":
      if (names[0] !== undefined) throw usageFault(`unexpected argument '${names[0]}'. ${usage}`)
      return (await import("../../knowledge/documents.ts")).list(args)
    case "sources":
      if (names[0] !== undefined) throw usageFault(`unexpected argument '${names[0]}'. ${usage}`)
      return (await import("../../knowledge/sources.ts")).sources(args)
    case "refresh":
      return (await import("../../knowledge/sources.ts")).refresh(names, args)
    case "runs": {
      const [name, extra] = names
      if (name === undefined || extra !== undefined)
        throw usageFault("name one source; 'turnhouse knowledge sources' lists them")
      return (await import("../../knowledge/sources.ts")).runs(name, args)
    }
    case "watch":
      return (await import("../../knowledge/watch.ts")).watch(names, args)
    case "rm":
      if (names.length === 0) throw usageFault("name a document; 'turnhouse knowledge ls' lists them")
      if (args.flag("source")) return (await import("../../knowledge/sources.ts")).removeWithDocuments(names, args)
      return (await import("../../knowledge/documents.ts")).remove(names, args)
    case "search":
      if (names.length === 0) throw usageFault('give search words: knowledge search "…"')
      return (await import("../../knowledge/documents.ts")).search(names.join(" "), args)
    case "eval": {
      const [file, extra] = names
      if (file === undefined || extra !== undefined)
        throw usageFault("name one file with questions: knowledge eval FILE. docs/knowledge.md describes it.")
      return (await import("../../knowledge/eval.ts")).evaluate(file, args)
    }
    default:
      throw usageFault(action === undefined ? usage : `unknown action 'knowledge ${action}'. ${usage}`)
  }
}

const optionActions: Readonly<Record<string, readonly string[]>> = {
  audience: ["add", "search", "eval"],
  set: ["add", "ls", "search", "eval"],
  public: ["add"],
  locked: ["add"],
  prune: ["add", "refresh"],
  as: ["add"],
  every: ["add"],
  include: ["add"],
  exclude: ["add"],
  "max-pages": ["add"],
  "max-depth": ["add"],
  due: ["refresh"],
  source: ["rm"],
  limit: ["search"],
}

/** An option that has no effect is refused. */
function refuseStray(args: Args, action: string | undefined): void {
  for (const [option, actions] of Object.entries(optionActions)) {
    const isSet = args.flag(option) || args.text(option) !== undefined || args.texts(option).length > 0
    if (isSet && action !== undefined && !actions.includes(action))
      throw usageFault(`--${option} works only with 'knowledge ${actions.join("' and 'knowledge ")}'`)
  }
}
