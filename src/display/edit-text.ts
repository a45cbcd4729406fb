// The arguments of a call as text that a person changes: a command as it is, everything else as JSON.
import { isJsonObject, textIn, tryParseJson } from "../contract/json-object.ts"
import { coreTool } from "../contract/rules/core-tools.ts"
import { placeholderProblem } from "../contract/text/placeholder.ts"
import type { JsonValue } from "../contract/values.ts"
import type { ShownCall } from "./call-lines.ts"

export interface Problem {
  readonly kind: "problem"
  /** A sentence for the person; nothing is changed. */
  readonly message: string
}

export type Edited = { readonly kind: "changed"; readonly input: JsonValue } | { readonly kind: "same" } | Problem

export type EditText =
  | { readonly kind: "command"; readonly text: string }
  | { readonly kind: "arguments"; readonly text: string }
  | Problem

/** A call with a secret cannot be edited: only a placeholder of the secret is known. */
export function editText({ tool, input }: ShownCall): EditText {
  const message = placeholderProblem(JSON.stringify(input))
  if (message !== undefined) return { kind: "problem", message }
  const command = coreTool(tool)?.argument === "command" ? textIn(input, "command") : undefined
  if (command !== undefined) return { kind: "command", text: command }
  return { kind: "arguments", text: `${JSON.stringify(input, null, 2)}\n` }
}

/** The call after the person has changed its text. */
export function editedCall(call: ShownCall, text: string): Edited {
  const before = editText(call)
  if (before.kind === "problem") return before
  return before.kind === "command" ? editedCommand(call, text) : editedArguments(call, text)
}

function editedCommand({ input }: ShownCall, text: string): Edited {
  if (text.trim() === "") return { kind: "problem", message: "An empty command cannot run. Press n to deny the call." }
  if (text === textIn(input, "command") || !isJsonObject(input)) return { kind: "same" }
  return { kind: "changed", input: { ...input, command: text } }
}

function editedArguments({ input }: ShownCall, text: string): Edited {
  const changed = tryParseJson(text)
  if (changed === undefined)
    return { kind: "problem", message: "The text is not valid JSON; the call is unchanged. Press e to edit it again." }
  return JSON.stringify(changed) === JSON.stringify(input) ? { kind: "same" } : { kind: "changed", input: changed }
}
