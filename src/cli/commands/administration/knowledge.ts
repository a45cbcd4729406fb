// `turnhouse knowledge add|ls|rm|search`: documents that agents search and cite.
import { usageFault } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"

const usage = "Use 'knowledge add PATH...', 'knowledge ls', 'knowledge rm ID...' or 'knowledge search WORDS'."

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
    case "rm":
      if (names.length === 0) throw usageFault("name a document; 'turnhouse knowledge ls' lists them")
      return (await import("../../knowledge/documents.ts")).remove(names, args)
    case "search":
      if (names.length === 0) throw usageFault('give search words: knowledge search "…"')
      return (await import("../../knowledge/documents.ts")).search(names.join(" "), args)
    default:
      throw usageFault(action === undefined ? usage : `unknown action 'knowledge ${action}'. ${usage}`)
  }
}

const optionActions: Readonly<Record<string, readonly string[]>> = {
  audience: ["add", "search"],
  set: ["add", "ls", "search"],
  public: ["add"],
  locked: ["add"],
  prune: ["add"],
  limit: ["search"],
}

/** An option that has no effect is refused. */
function refuseStray(args: Args, action: string | undefined): void {
  for (const [option, actions] of Object.entries(optionActions)) {
    const isSet = args.flag(option) || args.text(option) !== undefined
    if (isSet && action !== undefined && !actions.includes(action))
      throw usageFault(`--${option} works only with 'knowledge ${actions.join("' and 'knowledge ")}'`)
  }
}
