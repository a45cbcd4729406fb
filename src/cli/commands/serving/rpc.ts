// `turnhouse rpc`: a synaps RPC v1 child on stdin and stdout.
import { readFileSync, statSync } from "node:fs"
import { usageFault } from "../../../app/app-fault.ts"
import { runStdioChild } from "../../../app/stdio-child/run.ts"
import type { Args } from "../../command.ts"
import { contextWithWarnings, sessionRequest } from "../../context-options.ts"
import { thinkingOf } from "../../thinking.ts"

const defaults = { shutdownSeconds: 3, errorWindowSeconds: 55 }

export async function run(args: Args): Promise<number> {
  if (args.text("model") === "") throw usageFault("--model needs a model, as provider/model")
  thinkingOf(args) // a mistake is reported before anything is started
  const times = {
    errorWindowMs: (args.seconds("error-window") ?? defaults.errorWindowSeconds) * 1000,
    shutdownMs: (args.seconds("patience") ?? defaults.shutdownSeconds) * 1000,
  }
  const load = async () => {
    const context = await contextWithWarnings(args)
    const options = { cwd: context.cwd, origin: "rpc", preset: "trusting", system: systemText(args) } as const
    return { context, request: sessionRequest(args, options) }
  }
  return runStdioChild({ continueId: args.text("continue"), extended: args.flag("extended"), times, load })
}

/** `--system` takes the text itself or the name of a file. */
function systemText(args: Args): string | undefined {
  const text = args.text("system")
  if (text === undefined || text === "") return undefined
  return isFile(text) ? readFileSync(text, "utf8") : text
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true
  } catch {
    return false // too long for a path, or contains a NUL: it is the text itself
  }
}
