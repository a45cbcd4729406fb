// `turnhouse plugin add|rm|ls|update`: plugins of the user.
import { usageFault } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"

const usage = "Use 'plugin add PATH|GIT_URL', 'plugin rm NAME', 'plugin ls' or 'plugin update [NAME]'."

export async function run(args: Args): Promise<number> {
  const [action, name, surplus] = args.positionals
  if (surplus !== undefined) throw usageFault(`unexpected argument '${surplus}'. ${usage}`)
  refuseStray(args, action)
  switch (action) {
    case "add":
      if (name === undefined) throw usageFault("name a folder or a git repository: turnhouse plugin add PATH|GIT_URL")
      return (await import("../../plugin/add.ts")).add(name, args)
    case "update":
      return (await import("../../plugin/add.ts")).update(name, args)
    case "rm":
      if (name === undefined) throw usageFault("name a plugin; 'turnhouse plugin ls' lists them")
      return (await import("../../plugin/list.ts")).remove(name)
    case "ls":
      if (name !== undefined) throw usageFault(`unexpected argument '${name}'. ${usage}`)
      return (await import("../../plugin/list.ts")).list(args)
    default:
      throw usageFault(action === undefined ? usage : `unknown action 'plugin ${action}'. ${usage}`)
  }
}

const optionActions: Readonly<Record<string, readonly string[]>> = {
  plugin: ["add"],
  all: ["add"],
  yes: ["add", "update"],
  json: ["ls"],
}

/** An option that has no effect is refused. */
function refuseStray(args: Args, action: string | undefined): void {
  for (const [option, actions] of Object.entries(optionActions)) {
    const isSet = args.flag(option) || args.texts(option).length > 0
    if (isSet && action !== undefined && !actions.includes(action))
      throw usageFault(`--${option} works only with 'plugin ${actions.join("' and 'plugin ")}'`)
  }
}
