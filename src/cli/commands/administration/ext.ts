// `turnhouse ext ls|check|new`: for users and authors of extensions.
import { usageFault } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"

const usage = "Use 'ext ls', 'ext check DIR' or 'ext new DIR'."

export async function run(args: Args): Promise<number> {
  const [action, folder, surplus] = args.positionals
  if (surplus !== undefined) throw usageFault(`unexpected argument '${surplus}'. ${usage}`)
  if (action !== "new" && args.text("language") !== undefined)
    throw usageFault("--language works only with 'ext new DIR'")
  if (action !== "check" && args.flag("ask-models")) throw usageFault("--ask-models works only with 'ext check DIR'")
  switch (action) {
    case "ls":
      if (folder !== undefined) throw usageFault(`unexpected argument '${folder}'. ${usage}`)
      return (await import("../../ext/list.ts")).list(args)
    case "check":
      return (await import("../../ext/check.ts")).check(named(folder, "check"), args)
    case "new":
      return (await import("../../ext/scaffold.ts")).scaffold(named(folder, "new"), args)
    default:
      throw usageFault(action === undefined ? usage : `unknown action 'ext ${action}'. ${usage}`)
  }
}

function named(folder: string | undefined, action: string): string {
  if (folder === undefined || folder === "") throw usageFault(`name a folder: turnhouse ext ${action} DIR`)
  return folder
}
