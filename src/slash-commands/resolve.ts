// From a typed name and its arguments to the steps of a command. A name that is not in the table may be a command of the
// folder, the user or an extension; those cannot replace one of the table.
import { limits } from "../contract/limits.ts"
import { describeRefusal } from "../contract/text/describe-refusal.ts"
import { usageError, withoutSlash } from "./arguments.ts"
import type { SlashCall, SlashOptions, SlashStep, SlashView, SlashAnswer, SlashPort } from "./command.ts"
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

/** The result as clients get it: a frame of the session socket, a line of `attach --json`. */
export interface SlashResult {
  readonly type: "slash_command_result"
  readonly command: string
  readonly success: boolean
  readonly output?: string
  readonly action_taken?: string
  readonly error?: string
  readonly blocked: boolean
}

interface SlashOutcome {
  readonly result: SlashResult
  /** The client must end the session now. */
  readonly exits: boolean
}

export async function runSlash({ command, step }: ResolvedCommand, port: SlashPort): Promise<SlashOutcome> {
  let current = step
  while (current.kind === "step") current = await current.run(port)
  const exits = current.kind === "exit"
  return { result: resultOf(command, current.kind === "exit" ? current.answer : current), exits }
}

/** Absent fields are left out. */
function resultOf(command: string, answer: SlashAnswer): SlashResult {
  const type = "slash_command_result"
  if (answer.kind === "failed")
    return { type, command, success: false, error: answer.error, blocked: answer.blocked ?? false }
  const { action, output } = answer
  const shown = output === undefined ? {} : { output }
  return { type, command, success: true, ...shown, action_taken: action, blocked: false }
}
