// Lets a person change the arguments of a call: a short command in place, everything else in the editor of the user.
import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isJsonObject, textIn, tryParseJson } from "../../contract/json-object.ts"
import { coreTool } from "../../contract/rules/core-tools.ts"
import { placeholderProblem } from "../../contract/text/placeholder.ts"
import { withVisibleCharacters } from "../../contract/text/text.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { ShownCall } from "../print/call-lines.ts"
import { readTypedLine } from "./typed-line.ts"

export type Edited =
  | { readonly kind: "changed"; readonly input: JsonValue }
  | { readonly kind: "same" }
  /** A sentence for the person; nothing is changed. */
  | { readonly kind: "problem"; readonly message: string }

/** Longer commands are edited in the editor. */
const MAX_IN_PLACE = 400

/** The terminal must be free. */
export async function editCall(call: ShownCall, signal: AbortSignal): Promise<Edited> {
  const problem = placeholderProblem(JSON.stringify(call.input))
  if (problem !== undefined) return { kind: "problem", message: problem }
  const command = coreTool(call.tool)?.argument === "command" ? textIn(call.input, "command") : undefined
  if (command === undefined) return editArguments(call)
  const text = isShort(command) ? await editInPlace(command, signal) : await editInEditor("command.sh", command)
  if (typeof text !== "string") return text
  if (text.trim() === "") return { kind: "problem", message: "An empty command cannot run. Press n to deny the call." }
  if (text === command || !isJsonObject(call.input)) return { kind: "same" }
  return { kind: "changed", input: { ...call.input, command: text } }
}

/** What a line shows as it is. */
function isShort(command: string): boolean {
  return command.length <= MAX_IN_PLACE && !/[\n\t]/.test(command) && withVisibleCharacters(command) === command
}

async function editInPlace(command: string, signal: AbortSignal): Promise<string | Edited> {
  const typed = await readTypedLine("Change the command (Enter: look at it again, Esc: back)\n› ", command, signal)
  return typed.kind === "line" ? typed.text : { kind: "same" }
}

async function editArguments({ input }: ShownCall): Promise<Edited> {
  const before = `${JSON.stringify(input, null, 2)}\n`
  const text = await editInEditor("arguments.json", before)
  if (typeof text !== "string") return text
  if (text.trim() === before.trim()) return { kind: "same" }
  const changed = tryParseJson(text)
  if (changed === undefined)
    return { kind: "problem", message: "The text is not valid JSON; the call is unchanged. Press e to edit it again." }
  return JSON.stringify(changed) === JSON.stringify(input) ? { kind: "same" } : { kind: "changed", input: changed }
}

/** The file is only readable by the user, and removed afterwards. */
async function editInEditor(name: string, text: string): Promise<string | Edited> {
  const folder = await mkdtemp(join(tmpdir(), "turnhouse-edit-"))
  try {
    const file = join(folder, name)
    await writeFile(file, text, { mode: 0o600 })
    const problem = await runEditor(file)
    if (problem !== undefined) return { kind: "problem", message: problem }
    const edited = await readFile(file, "utf8")
    return text.endsWith("\n") ? edited : edited.replace(/\n$/, "") // editors add one
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A sentence if the editor failed. Its setting may have arguments, such as `code --wait`, so a shell starts it. */
function runEditor(file: string): Promise<string | undefined> {
  const editor = process.env["VISUAL"] || process.env["EDITOR"] || "vi"
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" })
    child.once("error", (fault) => resolve(`The editor '${editor}' cannot be started: ${fault.message}.`))
    child.once("exit", (code) =>
      resolve(
        code === 0
          ? undefined
          : `The editor '${editor}' failed; the call is unchanged. Set VISUAL or EDITOR to an editor that waits until the file is closed.`,
      ),
    )
  })
}
