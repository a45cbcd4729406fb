// From the name and the words behind it to what is to be done. What the table does not have may be a command of the
// folder, the user or an extension, which the house is asked to run; those never come before one of the table.
import { limits } from "../contract/limits.ts"
import type { Refusal } from "../contract/refusals.ts"
import { describeRefusal } from "../contract/describe-refusal.ts"
import type { JsonValue } from "../contract/values.ts"
import { isObject, textOf } from "./query-answers.ts"
import { blockedAnswer, withoutSlash } from "./blocked.ts"
import {
  done,
  failed,
  prompt,
  type SlashAnswer,
  type SlashCall,
  type SlashOptions,
  type SlashStep,
  type SlashView,
} from "./command.ts"
import { slashCatalogue as catalogue } from "./table.ts"

/** A command that was understood, and the name under which it is answered. */
export interface Slash {
  readonly command: string
  readonly step: SlashStep
}

const mostArguments = 100

export function slash(view: SlashView, command: string, args: readonly string[], options: SlashOptions): Slash {
  const name = withoutSlash(command)
  return { command: name, step: stepOf({ name, args, view, options, catalogue }) }
}

function stepOf(call: SlashCall): SlashStep {
  const { name, options } = call
  return blockedAnswer(name, options.blocked) ?? catalogue.byName.get(name)?.run(call) ?? written(call)
}

/** A command that somebody has written down. */
function written({ name, args, view }: SlashCall): SlashStep {
  if (name === "" || name.length > limits.nameLength) return failed(`Unknown command: /${name.slice(0, 100)}`)
  if (args.length > mostArguments) return failed(`/${name} takes at most ${mostArguments} words`)
  const { sessionId } = view
  return {
    kind: "ask",
    query: { type: "run-command", sessionId, name, args: [...args] },
    next: writtenAnswer,
    refused: writtenRefusal,
  }
}

function writtenAnswer(value: JsonValue): SlashStep {
  const text = isObject(value) ? textOf(value, "text") : undefined
  if (!isObject(value) || text === undefined) return failed("The host answers in a way that is not understood")
  return value["kind"] === "prompt" ? prompt(text) : done("command_run", text)
}

/** The command's own words say best what it lacks. */
function writtenRefusal(refusal: Refusal): SlashAnswer {
  return failed(refusal.code === "command.failed" ? refusal.what : describeRefusal(refusal))
}
