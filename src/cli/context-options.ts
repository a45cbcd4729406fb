// Reads the options that select the configuration (--config, --profile, --no-extensions) and the model of a command.
import { resolve } from "node:path"
import { loadContext, type AppContext } from "../app/context.ts"
import { printConfigWarning } from "../app/terminal.ts"
import type { Args } from "./command.ts"
import { thinkingOf } from "./thinking.ts"
import type { SessionOptions } from "../contract/session-options.ts"

export function contextOf(args: Args): Promise<AppContext> {
  return loadContext({
    configFile: args.text("config"),
    profile: args.text("profile"),
    noExtensions: args.flag("no-extensions"),
  })
}

/** Prints the warnings of the configuration. */
export async function contextWithWarnings(args: Args): Promise<AppContext> {
  const context = await contextOf(args)
  for (const warning of context.warnings) printConfigWarning(warning)
  return context
}

/** The request for a new session; the configuration of its folder adds the rest. */
export function sessionRequest(args: Args, defaults: SessionOptions): SessionOptions {
  const model = args.text("model")
  const thinking = thinkingOf(args)
  const configuration = configurationOf(args, defaults.cwd)
  return {
    ...defaults,
    ...(model === undefined ? {} : { model }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(configuration === undefined ? {} : { configuration }),
  }
}

/** Of `--agent`: its preset applies, where it has one. */
export function agentRequest(args: Args): Pick<SessionOptions, "agent" | "preset"> {
  const agent = args.text("agent")
  return agent === undefined ? { preset: "careful" } : { agent }
}

/** Stored with the session, so that every host reads the same files. */
function configurationOf(args: Args, cwd: string): SessionOptions["configuration"] {
  const file = args.text("config")
  const profile = args.text("profile")
  if (file === undefined && profile === undefined) return undefined
  return { file: file === undefined ? undefined : resolve(cwd, file), profile }
}
