// Loads the configuration that the options --config, --profile and --no-extensions of a command select.
import { loadContext, type AppContext } from "../app/context.ts"
import { printNotice } from "../app/terminal.ts"
import type { Args } from "./command.ts"

export function contextOf(args: Args): Promise<AppContext> {
  return loadContext({
    configFile: args.text("config"),
    profile: args.text("profile"),
    noExtensions: args.flag("no-extensions"),
  })
}

export function printWarnings({ warnings }: AppContext): void {
  for (const warning of warnings) printNotice(`turnhouse: ${warning}`)
}
