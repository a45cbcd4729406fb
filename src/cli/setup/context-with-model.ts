// The configuration of a command that needs a model: a user at a terminal who has none is asked for one.
import type { AppContext } from "../../app/context.ts"
import type { Args } from "../command.ts"
import { contextOf, contextWithWarnings } from "../context-options.ts"

/** `canAsk`: the command starts a session, and a user can answer. */
export async function contextWithModel(args: Args, canAsk: boolean): Promise<AppContext> {
  const context = await contextWithWarnings(args)
  const isChosen = context.config.model !== undefined || args.text("model") !== undefined
  if (isChosen || !canAsk || isContinuousIntegration(process.env)) return context
  const { offerSetup } = await import("./first-run.ts")
  return (await offerSetup(context)) ? contextOf(args) : context
}

/** Its terminals have no user. */
function isContinuousIntegration({ CI = "" }: NodeJS.ProcessEnv): boolean {
  return !["", "0", "false"].includes(CI)
}
