// `turnhouse ext ls|check|new`: for those who use extensions and those who write them.
import { usageFault } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"

const usage = "say 'ext ls', 'ext check DIR' or 'ext new DIR'"

export async function run(args: Args): Promise<number> {
  const [action, folder, surplus] = args.positionals
  if (surplus !== undefined) throw usageFault(`'${surplus}' is one argument too many; ${usage}`)
  if (action !== "new" && args.text("language") !== undefined) throw usageFault("--language is for 'ext new DIR'")
  if (action !== "check" && args.flag("ask-models")) throw usageFault("--ask-models is for 'ext check DIR'")
  switch (action) {
    case "ls":
      if (folder !== undefined) throw usageFault(`'${folder}' is one argument too many; ${usage}`)
      return (await import("../../ext/list.ts")).list(args)
    case "check":
      return (await import("../../ext/check.ts")).check(named(folder, "check"), args)
    case "new":
      return (await import("../../ext/scaffold.ts")).scaffold(named(folder, "new"), args)
    default:
      throw usageFault(action === undefined ? usage : `there is no 'ext ${action}'; ${usage}`)
  }
}

function named(folder: string | undefined, action: string): string {
  if (folder === undefined || folder === "") throw usageFault(`name a folder: turnhouse ext ${action} DIR`)
  return folder
}
