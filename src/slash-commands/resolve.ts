// From a typed name and its arguments to the steps of a command. A name that is not in the table may be a command of the
// folder, the user or an extension; those cannot replace one of the table.
import { limits } from "../contract/limits.ts"
import { describeRefusal } from "../contract/text/describe-refusal.ts"
import { usageError, withoutSlash } from "./arguments.ts"
import type { SlashCall, SlashOptions, SlashStep, SlashView } from "./command.ts"
import { done, failed, perform, prompt } from "./steps.ts"
import { slashCatalogue as catalogue } from "./table.ts"

export interface ResolvedCommand {
  /** The name under which it is answered. */
  readonly command: string
  readonly step: SlashStep
}

/** Refused on the session socket unless the configuration names others (`ipc.blockedCommands`). */
export const defaultBlocked: readonly string[] = [
  "exec",
  "shell",
  "profile:export",
  "profile:import",
  "approvals",
  "hibernate",
]

/** Arguments of a command from a file or an extension. More are refused. */
const MAX_ARGUMENTS = 100
/** Characters of an unknown name that the error repeats. */
const MAX_REPEATED_NAME = 100

export function resolveSlash(
  view: SlashView,
  command: string,
  args: readonly string[],
  options: SlashOptions,
): ResolvedCommand {
  const name = withoutSlash(command)
  return { command: name, step: stepOf({ name, args, view, options, catalogue }) }
}

function stepOf(call: SlashCall): SlashStep {
  const { name, args, options } = call
  if (isBlocked(name, options.blocked))
    return { kind: "failed", error: `Command '${name}' is blocked for remote execution`, blocked: true }
  const known = catalogue.byName.get(name)
  if (known === undefined) return customCommand(call)
  return known.maxArgs !== undefined && args.length > known.maxArgs ? usageError(call) : known.run(call)
}

function isBlocked(name: string, blocked: readonly string[]): boolean {
  const lower = name.toLowerCase()
  return blocked.some((other) => withoutSlash(other).toLowerCase() === lower)
}

/** A command of the folder, the user or an extension. */
function customCommand({ name, args, view: { sessionId } }: SlashCall): SlashStep {
  if (name === "" || name.length > limits.nameLength)
    return failed(`Unknown command: /${name.slice(0, MAX_REPEATED_NAME)}`)
  if (args.length > MAX_ARGUMENTS) return failed(`/${name} takes at most ${MAX_ARGUMENTS} arguments`)
  return perform(
    { type: "run-command", sessionId, name, args: [...args] },
    ({ kind, text }) => (kind === "prompt" ? prompt(text) : done("command_run", text)),
    // The command's own message says best what is missing.
    (refusal) => failed(refusal.code === "command.failed" ? refusal.what : describeRefusal(refusal)),
  )
}
