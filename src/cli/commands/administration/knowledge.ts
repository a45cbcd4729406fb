// `turnhouse knowledge add|ls|rm|search`: the documents that agents find and cite.
import { usageFault } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"

const usage = "say 'knowledge add PATH...', 'knowledge ls', 'knowledge rm ID...' or 'knowledge search WORDS'"

export async function run(args: Args): Promise<number> {
  const [action, ...names] = args.positionals
  refuseStray(args, action)
  switch (action) {
    case "add":
      if (names.length === 0) throw usageFault("name a file, a folder, or a file with addresses: knowledge add PATH...")
      return (await import("../../knowledge/add.ts")).add(names, args)
    case "ls":
      if (names[0] !== undefined) throw usageFault(`'${names[0]}' is one argument too many; ${usage}`)
      return (await import("../../knowledge/list.ts")).list(args)
    case "rm":
      if (names.length === 0) throw usageFault("name a document, as 'turnhouse knowledge ls' shows it")
      return (await import("../../knowledge/remove.ts")).remove(names, args)
    case "search":
      if (names.length === 0) throw usageFault('say what to look for: knowledge search "…"')
      return (await import("../../knowledge/search.ts")).search(names.join(" "), args)
    default:
      throw usageFault(action === undefined ? usage : `there is no 'knowledge ${action}'; ${usage}`)
  }
}

const meantFor: Readonly<Record<string, readonly string[]>> = {
  audience: ["add", "search"],
  set: ["add", "ls", "search"],
  public: ["add"],
  locked: ["add"],
  prune: ["add"],
  limit: ["search"],
}

/** An option that would be passed over in silence is a mistake: somebody meant something by it. */
function refuseStray(args: Args, action: string | undefined): void {
  for (const [option, actions] of Object.entries(meantFor)) {
    const isGiven = args.flag(option) || args.text(option) !== undefined
    if (isGiven && action !== undefined && !actions.includes(action))
      throw usageFault(`--${option} is for 'knowledge ${actions.join("' and 'knowledge ")}'`)
  }
}
